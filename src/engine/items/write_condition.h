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

// The envelope that today's DynamoDB puts around what it finds wrong with a single-item write before it looks for the
// table.
Error enveloped(Error error);

template <class T>
Result<T> enveloped(Result<T> result) {
  if (!result.has_value()) return std::unexpected(enveloped(std::move(result).error()));
  return result;
}

// What UpdateItem and its like say of collections: only tables with a local index have them.
std::optional<ItemCollectionMetrics> collection_metrics(bool asked, const struct TableDescription& table, ItemView key);

}  // namespace trestle
