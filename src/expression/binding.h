// The placeholders of a request, and which of them its expressions have used.
//
// A Binding serves all expressions of a request: create it, compile each expression with it, then call all_used(),
// because DynamoDB rejects names and values that no expression uses. Borrows the request's maps. Not thread-safe.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/parameters.h"

namespace trestle {

class Binding {
 public:
  // Rejects malformed, empty or unnecessary maps, in DynamoDB's order and wording. `has_expression`: whether the
  // request has any expression. `may_use_values`: whether any of them could use a value, which a projection alone
  // cannot. `missing`: what some operations append to the message about unnecessary values, such as "FilterExpression
  // is null".
  static Result<Binding> make(const Placeholders& placeholders, bool has_expression, bool may_use_values = true,
                              std::string_view missing = {});
  static Result<Binding> make_names(const std::optional<NameMap>& names, bool has_expression);

  // Returns what the placeholder stands for and marks it as used. Nothing if the request does not define it.
  std::optional<std::string_view> name(std::string_view placeholder);
  std::optional<ValueView> value(std::string_view placeholder);

  // Rejects placeholders that no expression used.
  Result<void> all_used() const;

 private:
  const NameMap* names_ = nullptr;
  const ValueMap* values_ = nullptr;
  std::vector<bool> names_used_;
  std::vector<bool> values_used_;
  size_t next_name_ = 0;  // where to search first: maps usually follow the order of the expressions
  size_t next_value_ = 0;
};

}  // namespace trestle
