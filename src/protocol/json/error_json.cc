#include "protocol/json/error_json.h"

#include "protocol/json/attribute_value_json.h"
#include "protocol/json/json_output.h"

namespace trestle {
namespace {

#define DYNAMODB "com.amazonaws.dynamodb.v20120810#"
#define CORAL_SERVICE "com.amazon.coral.service#"

constexpr ErrorShape kValidation{"com.amazon.coral.validate#ValidationException", 400, "message"};
constexpr ErrorShape kSerialization{CORAL_SERVICE "SerializationException", 400, "Message"};
constexpr ErrorShape kUnknownOperation{CORAL_SERVICE "UnknownOperationException", 400, "message"};
constexpr ErrorShape kAccessDenied{CORAL_SERVICE "AccessDeniedException", 400, "Message"};
constexpr ErrorShape kConditionalCheckFailed{DYNAMODB "ConditionalCheckFailedException", 400, "message"};
constexpr ErrorShape kDuplicateItem{DYNAMODB "DuplicateItemException", 400, "message"};
constexpr ErrorShape kItemCollectionSizeLimitExceeded{DYNAMODB "ItemCollectionSizeLimitExceededException", 400,
                                                      "message"};
constexpr ErrorShape kLimitExceeded{DYNAMODB "LimitExceededException", 400, "message"};
constexpr ErrorShape kProvisionedThroughputExceeded{DYNAMODB "ProvisionedThroughputExceededException", 400, "message"};
constexpr ErrorShape kRequestLimitExceeded{DYNAMODB "RequestLimitExceeded", 400, "message"};
constexpr ErrorShape kThrottling{"com.amazon.coral.availability#ThrottlingException", 400, "message"};
constexpr ErrorShape kResourceInUse{DYNAMODB "ResourceInUseException", 400, "message"};
constexpr ErrorShape kResourceNotFound{DYNAMODB "ResourceNotFoundException", 400, "message"};
constexpr ErrorShape kTableNotFound{DYNAMODB "TableNotFoundException", 400, "message"};
constexpr ErrorShape kTableInUse{DYNAMODB "TableInUseException", 400, "message"};
constexpr ErrorShape kBackupInUse{DYNAMODB "BackupInUseException", 400, "message"};
constexpr ErrorShape kBackupNotFound{DYNAMODB "BackupNotFoundException", 400, "message"};
constexpr ErrorShape kContinuousBackupsUnavailable{DYNAMODB "ContinuousBackupsUnavailableException", 400, "message"};
constexpr ErrorShape kGlobalTableNotFound{DYNAMODB "GlobalTableNotFoundException", 400, "message"};
constexpr ErrorShape kExportConflict{DYNAMODB "ExportConflictException", 400, "message"};
constexpr ErrorShape kExportNotFound{DYNAMODB "ExportNotFoundException", 400, "message"};
constexpr ErrorShape kInvalidExportTime{DYNAMODB "InvalidExportTimeException", 400, "message"};
constexpr ErrorShape kImportConflict{DYNAMODB "ImportConflictException", 400, "message"};
constexpr ErrorShape kImportNotFound{DYNAMODB "ImportNotFoundException", 400, "message"};
constexpr ErrorShape kInvalidRestoreTime{DYNAMODB "InvalidRestoreTimeException", 400, "message"};
constexpr ErrorShape kPointInTimeRecoveryUnavailable{DYNAMODB "PointInTimeRecoveryUnavailableException", 400,
                                                     "message"};
constexpr ErrorShape kPolicyNotFound{DYNAMODB "PolicyNotFoundException", 400, "message"};
constexpr ErrorShape kTableAlreadyExists{DYNAMODB "TableAlreadyExistsException", 400, "message"};
constexpr ErrorShape kTransactionConflict{DYNAMODB "TransactionConflictException", 400, "message"};
constexpr ErrorShape kTransactionCanceled{DYNAMODB "TransactionCanceledException", 400, "Message"};
constexpr ErrorShape kTransactionInProgress{DYNAMODB "TransactionInProgressException", 400, "Message"};
constexpr ErrorShape kIdempotentParameterMismatch{DYNAMODB "IdempotentParameterMismatchException", 400, "Message"};
constexpr ErrorShape kExpiredIterator{DYNAMODB "ExpiredIteratorException", 400, "message"};
constexpr ErrorShape kTrimmedDataAccess{DYNAMODB "TrimmedDataAccessException", 400, "message"};
constexpr ErrorShape kServiceUnavailable{CORAL_SERVICE "ServiceUnavailableException", 503, "message"};
constexpr ErrorShape kInternal{DYNAMODB "InternalServerError", 500, "message"};

#undef DYNAMODB
#undef CORAL_SERVICE

void write_reasons(const std::vector<CancellationReason>& reasons, std::string& out) {
  JsonOutput json(out);
  json.begin_array();
  for (const CancellationReason& reason : reasons) {
    json.begin_object();
    json.member("Code", reason.code);
    if (reason.item != nullptr) {
      json.key("Item");
      append_item_json(out, *reason.item);
    }
    if (!reason.message.empty()) json.member("Message", reason.message);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

const ErrorShape& error_shape(ErrorCode code) {
  switch (code) {
    case ErrorCode::kValidation:
      return kValidation;
    case ErrorCode::kSerialization:
      return kSerialization;
    case ErrorCode::kUnknownOperation:
      return kUnknownOperation;
    case ErrorCode::kAccessDenied:
      return kAccessDenied;
    case ErrorCode::kConditionalCheckFailed:
      return kConditionalCheckFailed;
    case ErrorCode::kDuplicateItem:
      return kDuplicateItem;
    case ErrorCode::kItemCollectionSizeLimitExceeded:
      return kItemCollectionSizeLimitExceeded;
    case ErrorCode::kLimitExceeded:
      return kLimitExceeded;
    case ErrorCode::kProvisionedThroughputExceeded:
      return kProvisionedThroughputExceeded;
    case ErrorCode::kRequestLimitExceeded:
      return kRequestLimitExceeded;
    case ErrorCode::kThrottling:
      return kThrottling;
    case ErrorCode::kResourceInUse:
      return kResourceInUse;
    case ErrorCode::kResourceNotFound:
      return kResourceNotFound;
    case ErrorCode::kTableNotFound:
      return kTableNotFound;
    case ErrorCode::kTableInUse:
      return kTableInUse;
    case ErrorCode::kBackupInUse:
      return kBackupInUse;
    case ErrorCode::kBackupNotFound:
      return kBackupNotFound;
    case ErrorCode::kContinuousBackupsUnavailable:
      return kContinuousBackupsUnavailable;
    case ErrorCode::kGlobalTableNotFound:
      return kGlobalTableNotFound;
    case ErrorCode::kExportConflict:
      return kExportConflict;
    case ErrorCode::kExportNotFound:
      return kExportNotFound;
    case ErrorCode::kInvalidExportTime:
      return kInvalidExportTime;
    case ErrorCode::kImportConflict:
      return kImportConflict;
    case ErrorCode::kImportNotFound:
      return kImportNotFound;
    case ErrorCode::kInvalidRestoreTime:
      return kInvalidRestoreTime;
    case ErrorCode::kPointInTimeRecoveryUnavailable:
      return kPointInTimeRecoveryUnavailable;
    case ErrorCode::kPolicyNotFound:
      return kPolicyNotFound;
    case ErrorCode::kTableAlreadyExists:
      return kTableAlreadyExists;
    case ErrorCode::kTransactionConflict:
      return kTransactionConflict;
    case ErrorCode::kTransactionCanceled:
      return kTransactionCanceled;
    case ErrorCode::kTransactionInProgress:
      return kTransactionInProgress;
    case ErrorCode::kIdempotentParameterMismatch:
      return kIdempotentParameterMismatch;
    case ErrorCode::kExpiredIterator:
      return kExpiredIterator;
    case ErrorCode::kTrimmedDataAccess:
      return kTrimmedDataAccess;
    case ErrorCode::kNotImplemented:
      return kUnknownOperation;  // the error for operations that do not exist
    case ErrorCode::kServiceUnavailable:
      return kServiceUnavailable;
    case ErrorCode::kInternal:
      return kInternal;
  }
  return kInternal;
}

std::string_view error_name(ErrorCode code) {
  const std::string_view type = error_shape(code).type;
  return type.substr(type.find('#') + 1);
}

namespace {

// The two exceptions spell this member differently.
void write_throttling(const Error& error, std::string& out) {
  out.pop_back();  // reopens the object
  out.append(error.code == ErrorCode::kThrottling ? ",\"throttlingReasons\":" : ",\"ThrottlingReasons\":");
  JsonOutput json(out);
  json.begin_array();
  for (const ThrottlingReason& reason : *error.throttling) {
    json.begin_object();
    json.member("reason", reason.reason);
    json.member("resource", reason.resource);
    json.end_object();
  }
  json.end_array();
  out.push_back('}');
}

}  // namespace

void write_error_json(const Error& error, std::string& out) {
  write_error_json(error_shape(error.code), error.message, out);
  if (error.throttling != nullptr) write_throttling(error, out);
  if (error.item == nullptr && error.reasons == nullptr) return;
  out.pop_back();  // reopens the object
  if (error.item != nullptr) {
    out.append(",\"Item\":");
    append_item_json(out, *error.item);
  }
  if (error.reasons != nullptr) {
    out.append(",\"CancellationReasons\":");
    write_reasons(*error.reasons, out);
  }
  out.push_back('}');
}

void write_error_json(const ErrorShape& shape, std::string_view message, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.member("__type", shape.type);
  if (!message.empty()) json.member(shape.message_key, message);
  json.end_object();
}

}  // namespace trestle
