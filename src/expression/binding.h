// A request's placeholders, and which of them its expressions have used.
//
// A Binding serves all expressions of a request: create it, compile each expression with it, then call all_used(),
// since DynamoDB rejects names and values that no expression uses. Borrows the request's maps. Not thread-safe.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/parameters.h"

namespace trestle {

class Binding {
 public:
  // Refuses malformed, empty or pointless maps, in DynamoDB's order and words. `has_expression`: whether the request
  // has any expression at all; `may_use_values`: whether any of them could use a value (a projection alone cannot).
  // Some operations say what is missing when values are pointless: `missing`, as in "FilterExpression is null".
  static Result<Binding> make(const Placeholders& placeholders, bool has_expression, bool may_use_values = true,
                              std::string_view missing = {});
  static Result<Binding> make_names(const std::optional<NameMap>& names, bool has_expression);

  // Marks the placeholder as used. Absent if the request does not define it.
  std::optional<std::string_view> name(std::string_view placeholder);
  std::optional<ValueView> value(std::string_view placeholder);

  // Refuses placeholders that no expression used.
  Result<void> all_used() const;

 private:
  const NameMap* names_ = nullptr;
  const ValueMap* values_ = nullptr;
  std::vector<bool> names_used_;
  std::vector<bool> values_used_;
  size_t next_name_ = 0;  // where to look first: maps are usually in the order of the expressions
  size_t next_value_ = 0;
};

}  // namespace trestle
