// A write's condition, in either form, compiled once before its table is looked up.
#pragma once

#include <optional>

#include "expression/condition.h"
#include "model/parameters.h"

namespace trestle {

class CompiledCondition {
 public:
  static Result<CompiledCondition> compile(const WriteCondition& condition, Binding& binding);
  // The same where the condition is the request's only expression.
  static Result<CompiledCondition> compile(const WriteCondition& condition, const Placeholders& placeholders);
  bool holds(ItemView old_item) const { return !condition_ || condition_->matches(old_item); }

 private:
  std::optional<Condition> condition_;
};

// The prefix that current DynamoDB puts before errors of a single-item write that are found before it looks for the
// table.
Error enveloped(Error error);

template <class T>
Result<T> enveloped(Result<T> result) {
  if (!result.has_value()) return std::unexpected(enveloped(std::move(result).error()));
  return result;
}

// The item collection metrics of a single-item write: only tables with a local index have them.
std::optional<ItemCollectionMetrics> collection_metrics(bool asked, const struct TableDescription& table, ItemView key);

}  // namespace trestle
