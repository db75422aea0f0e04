#include "design/sample/sample.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "design/sample/sample_draft.h"
#include "design/sample/sample_expression.h"
#include "design/sample/sample_value.h"

namespace trestle::design {
namespace {

void add(SampleItem& item, SampleAttribute attribute) {
  if (item.attribute(attribute.name) == nullptr) item.attributes.push_back(std::move(attribute));
}

// Adds the key attributes if `key` can render all of them.
void add_key(SampleItem& item, const KeySchema& schema, const std::vector<Template>& key) {
  std::vector<KeyAttribute> names = schema.hash;
  names.insert(names.end(), schema.range.begin(), schema.range.end());
  std::vector<SampleAttribute> result;
  for (size_t i = 0; i < names.size() && i < key.size(); ++i) {
    const auto text = render(key[i], item.fields, types_of(*item.entity));
    if (!text) return;
    result.push_back({names[i].name, names[i].type, *text});
  }
  for (SampleAttribute& attribute : result) add(item, std::move(attribute));
}

SampleItem item_of(const Design& design, const Entity& entity, const SampleDraft& draft) {
  SampleItem result{.entity = &entity, .fields = draft.values, .attributes = {}};
  const Table* table = design.table(entity.table);
  if (table == nullptr) return result;
  add_key(result, table->key, entity.key);
  if (!table->type_attribute.empty()) add(result, {table->type_attribute, ValueType::kString, entity.type});
  for (const IndexEntry& entry : entity.index) {
    const Index* index = table->index(entry.index);
    if (index != nullptr && (!entry.condition || sample_holds(*entry.condition, draft.values)))
      add_key(result, index->key, entry.key);
  }
  if (entity.ttl && !table->ttl_attribute.empty()) {
    if (const auto at = sample_seconds(*entity.ttl, entity, draft.values, kSampleNowSeconds)) {
      add(result, {table->ttl_attribute, ValueType::kNumber, std::to_string(*at)});
    }
  }
  for (const Field& field : entity.fields) {
    const auto value = draft.values.find(field.name);
    if (value != draft.values.end())
      add(result, {field.name, field.encrypted ? ValueType::kBinary : stored_type(field.type), value->second});
  }
  return result;
}

std::optional<SampleItem> guard_item(const Design& design, const Entity& entity, const Guard& guard,
                                     const SampleDraft& draft) {
  const Table* table = design.table(entity.table);
  SampleItem result{.entity = &entity, .guard = &guard, .fields = draft.values, .attributes = {}};
  if (table == nullptr) return std::nullopt;
  add_key(result, table->key, guard.key);
  if (!result.has_key(table->key)) return std::nullopt;
  if (!table->type_attribute.empty()) add(result, {table->type_attribute, ValueType::kString, guard.type});
  for (const std::string& name : guard.keeps) {
    const Field* field = entity.field(name);
    const auto value = draft.values.find(name);
    const std::string attribute = entity.guard_attribute(*table, guard, name);
    if (field != nullptr && value != draft.values.end() && !table->key.contains(attribute))
      add(result, {attribute, stored_type(field->type), value->second});
  }
  return result;
}

// Compares key attributes in DynamoDB's order.
int compare(const SampleAttribute& a, const SampleAttribute& b) {
  if (a.type != ValueType::kNumber) return a.text.compare(b.text);
  const double left = std::strtod(a.text.c_str(), nullptr);
  const double right = std::strtod(b.text.c_str(), nullptr);
  return left < right ? -1 : left > right ? 1 : 0;
}

}  // namespace

const SampleAttribute* SampleItem::attribute(std::string_view name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const SampleAttribute& sample_attribute) {
    return sample_attribute.name == name;
  });
  return found == attributes.end() ? nullptr : &*found;
}

bool SampleItem::has_key(const KeySchema& key) const {
  const auto has = [&](const KeyAttribute& key_attribute) { return attribute(key_attribute.name) != nullptr; };
  return std::all_of(key.hash.begin(), key.hash.end(), has) && std::all_of(key.range.begin(), key.range.end(), has);
}

std::vector<SampleItem> sample_items(const Design& design) {
  const auto drafts = sample_drafts(design);
  std::vector<SampleItem> out;
  for (const Entity& entity : design.entities) {
    const auto found = drafts.find(&entity);
    if (found == drafts.end()) continue;
    for (const SampleDraft& draft : found->second) {
      out.push_back(item_of(design, entity, draft));
      for (const Guard& guard : entity.unique) {
        if (auto result = guard_item(design, entity, guard, draft)) out.push_back(std::move(*result));
      }
    }
  }
  return out;
}

std::vector<const SampleItem*> items_in(const std::vector<SampleItem>& items, const Table& table, const Index* index) {
  const KeySchema& key = index == nullptr ? table.key : index->key;
  std::vector<const SampleItem*> out;
  std::map<std::vector<std::string>, size_t> partitions;
  const auto partition_of = [&](const SampleItem& item) {
    std::vector<std::string> texts;
    for (const KeyAttribute& part : key.hash) texts.push_back(item.attribute(part.name)->text);
    return texts;
  };
  for (const SampleItem& item : items) {
    if (item.entity->table != table.name || !item.has_key(key)) continue;
    out.push_back(&item);
    partitions.emplace(partition_of(item), partitions.size());
  }
  std::stable_sort(out.begin(), out.end(), [&](const SampleItem* a, const SampleItem* b) {
    const size_t left = partitions[partition_of(*a)];
    const size_t right = partitions[partition_of(*b)];
    if (left != right) return left < right;
    for (const KeyAttribute& part : key.range) {
      const int order = compare(*a->attribute(part.name), *b->attribute(part.name));
      if (order != 0) return order < 0;
    }
    return false;
  });
  return out;
}

}  // namespace trestle::design
