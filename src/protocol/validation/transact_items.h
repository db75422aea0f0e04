// TransactItems, the list of both transactional operations: its length, and which fault is reported first.
#pragma once

#include <optional>
#include <string>

#include "model/limits.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/json/json_input.h"
#include "protocol/validation/constraints.h"

namespace trestle {

// 1 to 100 elements. `present`: whether the request has the member.
inline void constrain_transact_items(bool present, size_t count, Constraints& constraints) {
  constraints.not_null(present, "transactItems");
  if (present) constraints.count_at_least(count, "transactItems", 1, [] { return "[]"; });
  // DynamoDB's older layer prints the whole list here; the current layer, which is replacing it, prints only this.
  if (count > kTransactionItemsMax) {
    constraints.too_many("TransactItems", kTransactionItemsMax);
  }
}

// Records the first fault in an action's values.
inline void note(std::optional<std::string>& fault, const std::optional<std::string>& found) {
  if (!fault && found) fault = found;
}
inline void note(std::optional<std::string>& fault, const Result<void>& checked) {
  if (!fault && !checked.has_value()) fault = checked.error().message;
}

}  // namespace trestle
