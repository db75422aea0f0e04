#include "design/plan/stored_attributes.h"

namespace trestle::design {

std::vector<StoredAttribute> stored_attributes(const Entity& entity, const Table& table) {
  std::vector<StoredAttribute> out;
  const auto add = [&](StoredAttribute attribute) {
    const auto same = [&](const StoredAttribute& stored_attribute) { return stored_attribute.name == attribute.name; };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back(std::move(attribute));
  };
  const auto add_keys = [&](const KeySchema& schema, const std::vector<Template>& templates) {
    size_t i = 0;
    for (const auto* half : {&schema.hash, &schema.range}) {
      for (const KeyAttribute& attribute : *half) {
        if (i < templates.size()) add({.name = attribute.name, .type = attribute.type, .key = &templates[i]});
        ++i;
      }
    }
  };
  add_keys(table.key, entity.key);
  if (!table.type_attribute.empty()) add({.name = table.type_attribute});
  for (const IndexEntry& entry : entity.index) {
    if (const Index* index = table.index(entry.index)) add_keys(index->key, entry.key);
  }
  for (const Field& field : entity.fields)
    add({.name = field.name, .type = field.encrypted ? ValueType::kBinary : stored_type(field.type), .field = &field});
  if (entity.ttl && !table.ttl_attribute.empty()) add({.name = table.ttl_attribute, .type = ValueType::kNumber});
  return out;
}

std::vector<KeyAttribute> key_attributes(const Table& table) {
  std::vector<KeyAttribute> out;
  const auto add = [&](const KeySchema& schema) {
    for (const auto* half : {&schema.hash, &schema.range}) {
      for (const KeyAttribute& attribute : *half) {
        const auto same = [&](const KeyAttribute& key_attribute) { return key_attribute.name == attribute.name; };
        if (std::none_of(out.begin(), out.end(), same)) out.push_back(attribute);
      }
    }
  };
  add(table.key);
  for (const Index& index : table.indexes) add(index.key);
  return out;
}

}  // namespace trestle::design
