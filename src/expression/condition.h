// Decides whether an item satisfies a condition or filter.
//
// matches() is pure: no I/O, no clock; evaluating twice gives the same result, because a write may be planned again. An
// absent attribute equals nothing, not even another absent one. A type mismatch is false, not an error. Malformed
// expressions were rejected when compiled, so matches() cannot fail.
//
//   TRY_INTO(Condition condition, compile_condition("attribute_not_exists(pk)", ExpressionKind::kCondition, binding));
//   if (condition.matches(item)) ...
//
// A Condition borrows the request's names and values and shares the parsed expression with the cache.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "expression/binding.h"

namespace trestle {

enum class ExpressionKind { kCondition, kFilter };

class Condition {
 public:
  Condition(const Condition&) = delete;
  Condition(Condition&&) noexcept;
  Condition& operator=(Condition&&) noexcept;
  ~Condition();

  // An empty view stands for an item that does not exist.
  bool matches(ItemView item) const;
  // The top-level attribute names in the condition, for the rule that a filter may not contain key attributes.
  const std::vector<std::string_view>& attributes() const;
  // The attributes that start a nested path, for the rule that key attributes must be scalars.
  const std::vector<std::string_view>& nested_attributes() const;

  struct Impl;
  explicit Condition(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

Result<Condition> compile_condition(std::string_view text, ExpressionKind kind, Binding& binding);

// Compiles legacy parameters. `values` and `exists` occur in Expected; filters have only operands. The protocol layer
// has already validated the entries, so this cannot fail.
Condition compile_legacy_condition(const LegacyConditions& conditions, std::optional<ConditionalOperator> op);

}  // namespace trestle
