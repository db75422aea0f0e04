// Errors in DynamoDB's terms, with one code for each exception that a client may handle. protocol/error_json maps codes
// to exception names and HTTP statuses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace trestle {

class Item;

enum class ErrorCode {
  // Client errors.
  kValidation,
  kSerialization,
  kUnknownOperation,
  kAccessDenied,
  kConditionalCheckFailed,
  kDuplicateItem,
  kItemCollectionSizeLimitExceeded,
  kLimitExceeded,
  kProvisionedThroughputExceeded,
  kRequestLimitExceeded,
  kThrottling,
  kResourceInUse,
  kResourceNotFound,
  kTableNotFound,
  kTableInUse,
  kBackupInUse,
  kBackupNotFound,
  kContinuousBackupsUnavailable,
  kExportConflict,
  kExportNotFound,
  kInvalidExportTime,
  kGlobalTableNotFound,
  kImportConflict,
  kImportNotFound,
  kInvalidRestoreTime,
  kPointInTimeRecoveryUnavailable,
  kPolicyNotFound,
  kTableAlreadyExists,
  kTransactionConflict,
  kTransactionCanceled,
  kTransactionInProgress,
  kIdempotentParameterMismatch,
  kExpiredIterator,
  kTrimmedDataAccess,
  kNotImplemented,  // an operation that the endpoint does not support
  // The machine cannot serve the request: the disk is full or failing. Nothing was written.
  kServiceUnavailable,
  // A bug in Trestle.
  kInternal,
};

// Why an action of a transaction failed; "None" if it did not.
struct CancellationReason {
  std::string code = "None";
  std::string message = {};
  std::shared_ptr<const Item> item = nullptr;  // as in Error
};

// The limit that throttled a request: "TableReadProvisionedThroughputExceeded" and the ARN of the table or index.
struct ThrottlingReason {
  std::string reason;
  std::string resource;
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  // kConditionalCheckFailed: the old item, if the request asked for it. Shared because errors are copied.
  std::shared_ptr<const Item> item = nullptr;
  // kTransactionCanceled: a reason for each action, in order. Shared for the same reason.
  std::shared_ptr<const std::vector<CancellationReason>> reasons = nullptr;
  // kProvisionedThroughputExceeded, kThrottling: the limits that were exceeded. Shared for the same reason.
  std::shared_ptr<const std::vector<ThrottlingReason>> throttling = nullptr;
};

template <class T>
using Result = BasicResult<T, Error>;

inline std::unexpected<Error> failure(ErrorCode code, std::string message) {
  return std::unexpected(Error{.code = code, .message = std::move(message), .item = nullptr});
}

// Operations name a missing table in one of two ways.
inline bool is_missing_table(const Error& error) {
  return error.code == ErrorCode::kResourceNotFound || error.code == ErrorCode::kTableNotFound;
}

// How DynamoDB begins the messages of one layer of its validation.
inline constexpr std::string_view kValidationErrorPrefix = "1 validation error detected: ";
inline constexpr std::string_view kInvalidParameterPrefix = "One or more parameter values were invalid: ";

// A ValidationException.
inline std::unexpected<Error> invalid(std::string message) {
  return failure(ErrorCode::kValidation, std::move(message));
}
// "One or more parameter values were invalid: <what>".
inline std::unexpected<Error> invalid_parameter(std::string_view what) {
  return invalid(std::string(kInvalidParameterPrefix).append(what));
}

}  // namespace trestle
