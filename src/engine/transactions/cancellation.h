// The reasons why a transaction is cancelled: one for each of its actions, in order.
//
//   Cancellation cancellation(count);
//   cancellation.set_condition_failed(2, old_item);
//   if (cancellation.any()) return cancellation.error();
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/items/item_writer.h"
#include "model/error.h"
#include "model/value.h"

namespace trestle {

inline constexpr const char* kSameItemTwice = "Transaction request cannot include multiple operations on one item";

// "Transaction cancelled, please refer ... [ConditionalCheckFailed, None]", with the codes of the reasons.
inline std::string cancellation_message(const std::vector<CancellationReason>& reasons) {
  std::string message = "Transaction cancelled, please refer cancellation reasons for specific reasons [";
  for (size_t i = 0; i < reasons.size(); ++i) {
    if (i > 0) message.append(", ");
    message.append(reasons[i].code);
  }
  return message.append("]");
}

// For a value that is nested too deep, a cancellation reason has only the first half of UpdateItem's message.
inline Error without_nesting_detail(Error error) {
  constexpr std::string_view kTooDeep = "Nesting Levels have exceeded supported limits";
  if (error.message.starts_with(kTooDeep)) error.message = kTooDeep;
  return error;
}

class Cancellation {
 public:
  explicit Cancellation(size_t actions) : reasons_(actions) {}

  void set(size_t action, std::string code, std::string message) {
    reasons_[action] = {.code = std::move(code), .message = std::move(message)};
    any_ = true;
  }
  // Reports an invalid action, detected after its table was found. Only the first such action is reported.
  void set_invalid(size_t action, const Error& error) {
    if (!invalid_) set(action, "ValidationError", error.message);
    invalid_ = any_ = true;
  }
  void set_conflict(size_t action) { set(action, "TransactionConflict", kTransactionOngoing); }
  void set_throttled(size_t action, const Error& error) {
    const bool provisioned = error.code == ErrorCode::kProvisionedThroughputExceeded;
    set(action, provisioned ? "ProvisionedThroughputExceeded" : "ThrottlingError", error.message);
  }
  // The reason includes the old item, unless it is empty.
  void set_condition_failed(size_t action, ItemView old_item) {
    set(action, "ConditionalCheckFailed", kConditionFailed);
    if (!old_item.empty()) reasons_[action].item = std::make_shared<const Item>(old_item);
  }

  bool any() const { return any_; }
  std::unexpected<Error> error() const {
    return std::unexpected(Error{
        .code = ErrorCode::kTransactionCanceled,
        .message = cancellation_message(reasons_),
        .reasons = std::make_shared<const std::vector<CancellationReason>>(reasons_),
    });
  }

 private:
  std::vector<CancellationReason> reasons_;
  bool any_ = false;
  bool invalid_ = false;
};

}  // namespace trestle
