#include "runtime/call/refusal.h"

#include <fmt/format.h>

namespace trestle::runtime {
namespace {

Refused throttled() {
  return {.status = 503,
          .message = "The database is throttling; try again.",
          .fields = {},
          .retry_after_s = 1,
          .retryable = true};
}
Refused conflicting() {
  return {.status = 409,
          .message = "Another operation is changing the same items; try again.",
          .fields = {},
          .retryable = true};
}

// A value that DynamoDB cannot store: the caller's, since a plan's requests are otherwise valid.
int status_of_invalid(const std::string& message) {
  for (const char* start : {"Item size", "Number overflow", "Number underflow", "Attempting to store more than 38"}) {
    if (message.starts_with(start)) return 400;
  }
  return 500;
}

// The reasons of a cancelled transaction that are not about conditions, the gravest first.
Refused refused_by_reasons(const Error& error) {
  bool conflict = false;
  for (const CancellationReason& reason : *error.reasons) {
    if (reason.code == "ThrottlingError" || reason.code == "ProvisionedThroughputExceeded") return throttled();
    if (reason.code == "ValidationError")
      return {.status = status_of_invalid(reason.message), .message = reason.message, .fields = {}};
    conflict |= reason.code == "TransactionConflict";
  }
  return conflict ? conflicting() : Refused{.status = 500, .message = error.message, .fields = {}};
}

}  // namespace

bool is_conflict(const Error& error) {
  if (error.code == ErrorCode::kTransactionConflict || error.code == ErrorCode::kTransactionInProgress) return true;
  if (error.code != ErrorCode::kTransactionCanceled || error.reasons == nullptr) return false;
  bool conflict = false;
  for (const CancellationReason& reason : *error.reasons) {
    if (reason.code != "None" && reason.code != "TransactionConflict") return false;
    conflict |= reason.code == "TransactionConflict";
  }
  return conflict;
}

Refused refused_by(const Error& error) {
  switch (error.code) {
    case ErrorCode::kProvisionedThroughputExceeded:
    case ErrorCode::kRequestLimitExceeded:
    case ErrorCode::kThrottling:
      return throttled();
    case ErrorCode::kTransactionConflict:
    case ErrorCode::kTransactionInProgress:
      return conflicting();
    case ErrorCode::kTransactionCanceled:
      if (error.reasons != nullptr) return refused_by_reasons(error);
      return {.status = 500, .message = error.message, .fields = {}};
    case ErrorCode::kServiceUnavailable:
      return {.status = 503,
              .message = "The database is out of reach or cannot write; try again.",
              .fields = {},
              .retry_after_s = 1,
              .retryable = true};
    case ErrorCode::kResourceNotFound:
    case ErrorCode::kTableNotFound:
      return {.status = 500, .message = fmt::format("A table is missing: {}", error.message), .fields = {}};
    default:
      return {.status = status_of_invalid(error.message), .message = error.message, .fields = {}};
  }
}

}  // namespace trestle::runtime
