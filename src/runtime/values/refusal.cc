#include "runtime/values/refusal.h"

#include <fmt/format.h>

#include "design/plan/plan.h"
#include "model/limits.h"

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

// A validation error. A plan's requests are valid, so the cause is a value: the caller's, which DynamoDB cannot store,
// or one in the stored item, which has another type than the design says (a field of type `any`, an item of another
// program).
Refused refused_as_invalid(const std::string& message) {
  if (is_item_too_large(message)) return {.status = 400, .message = message, .fields = {}};
  for (const char* start : {"Number overflow", "Number underflow", "Attempting to store more than 38"}) {
    if (message.starts_with(start)) return {.status = 400, .message = message, .fields = {}};
  }
  // A query with an empty or very long key.
  for (const char* words : {"key attribute cannot contain an empty", "Size of hashkey", "Size of rangekey"}) {
    if (message.find(words) != std::string::npos) return {.status = 400, .message = message, .fields = {}};
  }
  for (const char* words : {"document path provided in the update expression is invalid for update",
                            "operand in the update expression has an incorrect data type"}) {
    if (message.find(words) == std::string::npos) continue;
    return {.status = 409,
            .message = "The stored item has a value of another type in a field that this changes. Nothing was changed.",
            .fields = {}};
  }
  return {.status = 500, .message = message, .fields = {}};
}

// The refusal for a cancelled transaction, by its reasons other than failed conditions, the most severe first.
Refused refused_by_reasons(const Error& error) {
  bool conflict = false;
  for (const CancellationReason& reason : *error.reasons) {
    if (reason.code == "ThrottlingError" || reason.code == "ProvisionedThroughputExceeded") return throttled();
    if (reason.code == "ValidationError") return refused_as_invalid(reason.message);
    conflict |= reason.code == "TransactionConflict";
  }
  return conflict ? conflicting() : Refused{.status = 500, .message = error.message, .fields = {}};
}

// The default message of a refusal.
std::string default_message(design::Cause cause, int status, const design::Entity* entity) {
  const std::string name = entity == nullptr ? "item" : entity->name;
  switch (status) {
    case 401:
      return "Unknown or not valid.";
    case 403:
      return "This is not allowed.";
    case 404:
      return fmt::format("There is no such {}.", name);
    case 410:
      return "It has expired.";
    case 429:
      return "Too many requests; try again later.";
    default:
      break;
  }
  switch (cause) {
    case design::Cause::kAbsent:
      return fmt::format("There is no such {}.", name);
    case design::Cause::kPresent:
      return fmt::format("This {} exists already.", name);
    case design::Cause::kFlow:
      return fmt::format("This {} cannot make that change from its current state.", name);
    case design::Cause::kRevision:
      return fmt::format("This {} does not have the expected revision.", name);
    case design::Cause::kRange:
      return fmt::format("A number of this {} would leave its range.", name);
    case design::Cause::kGuard:
      return "This value is taken.";
    case design::Cause::kObserved:
    case design::Cause::kForm:
      return fmt::format("This {} is being changed by others; try again.", name);
    case design::Cause::kCondition:
      return entity == nullptr ? "The item's current state does not allow this."
                               : fmt::format("The state of this {} does not allow that.", name);
  }
  return {};
}

}  // namespace

bool is_item_too_large(std::string_view message) {
  return message.starts_with(kItemTooLarge) || message.starts_with(kUpdatedItemTooLarge);
}

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
              .message = "The database is unreachable or cannot write; try again.",
              .fields = {},
              .retry_after_s = 1,
              .retryable = true};
    case ErrorCode::kResourceNotFound:
    case ErrorCode::kTableNotFound:
      return {.status = 500, .message = fmt::format("A table is missing: {}", error.message), .fields = {}};
    default:
      return refused_as_invalid(error.message);
  }
}

Refused refused_by(const design::Refusal* refusal, design::Cause cause, const design::Entity* entity,
                   int64_t retry_after_s) {
  Refused refused{.status = refusal == nullptr ? 409 : refusal->status, .message = {}, .fields = {}};
  if (refusal != nullptr) refused.message = refusal->message;
  if (refused.message.empty()) refused.message = default_message(cause, refused.status, entity);
  if (refusal != nullptr && refusal->failure != nullptr && !refusal->failure->field.empty())
    refused.fields.push_back({.field = refusal->failure->field, .reason = refused.message});
  refused.retry_after_s = retry_after_s;
  refused.retryable = cause == design::Cause::kObserved || cause == design::Cause::kForm || refused.status == 429 ||
                      refused.status == 503;
  refused.planned = refusal;
  return refused;
}

}  // namespace trestle::runtime
