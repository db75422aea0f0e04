// A write's condition (ConditionExpression or the legacy Expected), compiled once and before its table is looked up.
#pragma once

#include <optional>

#include "expression/condition.h"
#include "model/parameters.h"

namespace trestle {

class CompiledCondition {
 public:
  static Result<CompiledCondition> compile(const WriteCondition& condition, Binding& binding);
  // For requests in which the condition is the only expression.
  static Result<CompiledCondition> compile(const WriteCondition& condition, const Placeholders& placeholders);
  bool holds(ItemView old_item) const { return !condition_ || condition_->matches(old_item); }

 private:
  std::optional<Condition> condition_;
};

// Adds the prefix that DynamoDB puts before errors of a single-item write that it detects before it looks up the table.
Error with_validation_prefix(Error error);

template <class T>
Result<T> with_validation_prefix(Result<T> result) {
  if (!result.has_value()) return std::unexpected(with_validation_prefix(std::move(result).error()));
  return result;
}

// The item collection metrics of a single-item write. Only tables with a local index have them.
std::optional<ItemCollectionMetrics> collection_metrics(bool requested, const struct TableDescription& table,
                                                        ItemView key);

}  // namespace trestle
