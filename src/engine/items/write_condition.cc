#include "engine/items/write_condition.h"

#include <algorithm>

#include "model/table.h"

namespace trestle {

Result<CompiledCondition> CompiledCondition::compile(const WriteCondition& condition, Binding& binding) {
  CompiledCondition compiled;
  if (condition.expression) {
    TRY_INTO(compiled.condition_, compile_condition(*condition.expression, ExpressionKind::kCondition, binding));
  } else if (condition.expected) {
    compiled.condition_ = compile_legacy_condition(*condition.expected, condition.conditional_operator);
  }
  return compiled;
}

Result<CompiledCondition> CompiledCondition::compile(const WriteCondition& condition,
                                                     const Placeholders& placeholders) {
  TRY_INTO(Binding binding, Binding::make(placeholders, condition.expression.has_value()));
  TRY_INTO(CompiledCondition compiled, compile(condition, binding));
  TRY(binding.all_used());
  return compiled;
}

Error with_validation_prefix(Error error) {
  if (error.code == ErrorCode::kValidation && !error.message.starts_with(kValidationErrorPrefix)) {
    error.message.insert(0, kValidationErrorPrefix);
  }
  return error;
}

std::optional<ItemCollectionMetrics> collection_metrics(bool requested, const TableDescription& table, ItemView key) {
  const auto is_local = [](const IndexDescription& index) { return !index.global; };
  if (!requested || std::none_of(table.indexes.begin(), table.indexes.end(), is_local)) return std::nullopt;
  const std::string& hash = table.key.hash.front().name;
  return ItemCollectionMetrics{.collection_key = Item(std::vector<Field>{{hash, *key.find(hash)}})};
}

}  // namespace trestle
