#include "access/named_attributes.h"

#include <algorithm>

#include "expression/expression_cache.h"

namespace trestle {

void NamedAttributes::add(std::string_view name) {
  if (std::ranges::find(names_, name) == names_.end()) names_.emplace_back(name);
}

void NamedAttributes::add(ItemView item) {
  if (item.empty()) return;
  for (const Field& field : item.attributes()) add(field.name);
}

void NamedAttributes::add(const std::optional<std::string>& expression, Grammar grammar,
                          const std::optional<NameMap>& names) {
  if (!expression) return;
  const auto tree = cached_expression(*expression, grammar);
  if (!tree) return;
  for (const uint32_t head : (*tree)->heads) {
    const NameSlot& slot = (*tree)->names[head];
    if (!slot.is_placeholder) {
      add(slot.text);
      continue;
    }
    if (!names) continue;
    for (const auto& [placeholder, name] : *names) {
      if (placeholder == slot.text) add(name);
    }
  }
}

void NamedAttributes::add(const WriteCondition& condition, const std::optional<NameMap>& names) {
  add(condition.expression, Grammar::kCondition, names);
  add(condition.expected);
}

void NamedAttributes::add(const ReadProjection& projection, const std::optional<NameMap>& names) {
  add(projection.expression, Grammar::kProjection, names);
  if (!projection.attributes_to_get) return;
  for (const std::string& name : *projection.attributes_to_get) add(name);
}

void NamedAttributes::add(const std::optional<LegacyConditions>& conditions) {
  if (!conditions) return;
  for (const LegacyCondition& condition : *conditions) add(condition.attribute);
}

}  // namespace trestle
