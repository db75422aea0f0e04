#include "runtime/items/item_form.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "design/plan/plan.h"
#include "design/plan/stored_attributes.h"
#include "model/number.h"
#include "runtime/expressions/arithmetic.h"
#include "runtime/expressions/comparison.h"
#include "runtime/expressions/evaluate.h"
#include "runtime/items/typed_value.h"
#include "runtime/values/moment.h"

namespace trestle::runtime {

using design::Template;
using design::TemplatePart;

namespace {

constexpr size_t kShardCountsMax = 10'000;

template <class Visit>
void each_key_attribute(const KeySchema& schema, const Visit& visit) {
  size_t i = 0;
  for (const auto* half : {&schema.hash, &schema.range}) {
    for (const KeyAttribute& attribute : *half) visit(attribute, i++);
  }
}

// Whether the template can have rendered the text from values that were not folded to lower case, as another program
// may store them.
bool parses_unfolded(const Template& key, std::string_view text, const design::Entity& entity) {
  static const design::FieldType any_text{.base = design::BaseType::kString};
  const design::TypeOf types = design::types_of(entity);
  const auto is_folded = [](const design::FieldType* type) {
    using Base = design::BaseType;
    return type != nullptr && (type->base == Base::kEmail || type->base == Base::kDomain ||
                               type->base == Base::kPatternDomain || type->base == Base::kUuid);
  };
  auto values = design::parse(key, text, [&](std::string_view field) {
    const design::FieldType* type = types(field);
    return is_folded(type) ? &any_text : type;
  });
  if (!values) return false;
  for (auto& [field, value] : *values) {
    if (is_folded(types(field))) value = lower(value);
  }
  const auto folded = design::render(key, *values, types);
  return folded && design::parse(key, *folded, types).has_value();
}

bool fits(const std::vector<Template>& templates, const design::Entity& entity, const design::Table& table,
          ItemView item, bool unfolded = false) {
  // Compares the literals of all attributes first: most entities differ in those.
  const auto all = [&](const auto& attribute_fits) {
    bool result = true;
    each_key_attribute(table.key, [&](const KeyAttribute& attribute, size_t i) {
      if (!result) return;
      const auto value = item.find(attribute.name);
      // A guard may have one template for both key attributes.
      const size_t at = templates.size() == 1 ? 0 : i;
      result =
          value && is_scalar(value->type()) && at < templates.size() && attribute_fits(templates[at], value->scalar());
    });
    return result;
  };
  return all([](const Template& key, std::string_view text) { return design::has_literals(key, text); }) &&
         all([&](const Template& key, std::string_view text) {
           return unfolded ? parses_unfolded(key, text, entity)
                           : design::parse(key, text, design::types_of(entity)).has_value();
         });
}

bool is_bare(const Template& key, std::string_view field) {
  return key.parts.size() == 1 && key.parts[0].field == field &&
         key.parts[0].format.kind == design::Format::Kind::kPlain;
}

}  // namespace

ItemKind kind_of(const design::Design& design, const design::Table& table, ItemView item) {
  for (const design::Entity& entity : design.entities) {
    if (entity.table != table.name) continue;
    if (fits(entity.key, entity, table, item)) return {&entity, nullptr};
    for (const design::Guard& guard : entity.unique) {
      if (fits(guard.key, entity, table, item)) return {&entity, &guard};
    }
  }
  for (const design::Entity& entity : design.entities) {
    if (entity.table != table.name) continue;
    for (const auto& key : entity.formerly) {
      if (fits(key, entity, table, item)) return {&entity, nullptr};
    }
    for (const design::Guard& guard : entity.unique) {
      if (fits(guard.key, entity, table, item, true)) return {&entity, &guard};
    }
  }
  return {};
}

bool has_expired(const design::Table& table, ItemView item, int64_t now_ms) {
  if (table.ttl_attribute.empty()) return false;
  const auto ttl = item.find(table.ttl_attribute);
  return ttl && ttl->type() == ValueType::kNumber && compare_numbers(ttl->scalar(), std::to_string(now_ms / 1000)) <= 0;
}

std::optional<int64_t> expiry_of(const design::Table& table, ItemView item) {
  const auto ttl = table.ttl_attribute.empty() ? std::nullopt : item.find(table.ttl_attribute);
  if (!ttl || ttl->type() != ValueType::kNumber) return std::nullopt;
  const auto seconds = integer_of(ttl->scalar());
  return seconds && *seconds <= kTimeMaxMs / 1000 ? seconds : std::nullopt;
}

Item key_of(const design::Table& table, ItemView item) {
  std::vector<Field> fields;
  each_key_attribute(table.key, [&](const KeyAttribute& attribute, size_t) {
    if (const auto value = item.find(attribute.name)) fields.push_back({attribute.name, *value});
  });
  return Item(std::move(fields));
}

Item place_of(ItemView item, const std::vector<std::string>& key) {
  std::vector<Field> fields;
  for (const std::string& name : key) {
    if (const auto value = item.find(name)) fields.push_back({name, *value});
  }
  return Item(std::move(fields));
}

std::string key_words(const design::Table& table, ItemView item) {
  std::string out;
  each_key_attribute(table.key, [&](const KeyAttribute& attribute, size_t) {
    const auto value = item.find(attribute.name);
    const bool text = value && is_scalar(value->type());
    out += fmt::format("{}{} = \"{}\"", out.empty() ? "" : ", ", attribute.name,
                       text ? std::string(value->scalar()) : std::string());
  });
  return out;
}

Outcome<std::optional<Value>> expiry_value(const design::Design& design, Plain time) {
  if (time.is(Plain::Kind::kText)) {
    const auto at = time_of(time);
    time = at ? Plain::moment(*at) : Plain();
  }
  if (!time.exists()) return std::nullopt;
  TRY_INTO(time, convert_to_type(design, epoch_seconds(), std::move(time), "ttl"));
  return to_value(time, ValueType::kNumber);
}

Value key_attribute_value(std::string_view text, ValueType type) {
  if (type == ValueType::kBinary) return Value::binary(text);
  if (type != ValueType::kNumber) return Value::string(text);
  const auto number = canonical_number(text);
  return number ? Value::number(std::string_view(*number)) : Value::string(text);
}

void ItemForm::forget_shard_counts() {
  const MutexLock lock(mutex_);
  counts_.clear();
}

Outcome<std::shared_ptr<const ShardCounts>> ItemForm::shard_counts(const design::Shard& shard, const Plain& fields,
                                                                   int64_t now_ms) {
  const std::string& name = shard.epochs_entity.empty() ? shard.count_entity : shard.epochs_entity;
  const design::Entity* keeper = design_.entity(name);
  if (keeper == nullptr) return std::make_shared<const ShardCounts>(shard, Plain());
  TRY_INTO(auto where, key(*keeper, fields, now_ms));
  if (!where) return std::make_shared<const ShardCounts>(shard, Plain());
  {
    const MutexLock lock(mutex_);
    const auto known = counts_.find(where->bytes());
    if (known != counts_.end()) return known->second;
  }
  const auto found = database_.get_item({.table_name = keeper->table, .key = *where, .consistent_read = true});
  if (!found) return std::unexpected(refused_by(found.error()));
  auto counts = std::make_shared<const ShardCounts>(
      shard, found->item ? codec_.decode_plain_fields(*keeper, *found->item) : Plain());
  const MutexLock lock(mutex_);
  if (counts_.size() >= kShardCountsMax) counts_.clear();
  counts_[where->bytes()] = counts;
  return counts;
}

Outcome<std::optional<std::string>> ItemForm::text(const design::Entity& entity, const Template& key,
                                                   const Plain& fields, int64_t now_ms) {
  std::string out;
  for (const TemplatePart& part : key.parts) {
    if (part.is_literal()) {
      out += part.literal;
      continue;
    }
    std::string value;
    const design::FieldType* type = nullptr;
    if (const design::Shard* shard = entity.shard(part.field)) {
      const Plain& of = fields.member(shard->of);
      const design::Field* field = entity.field(shard->of);
      if (!of.exists() || field == nullptr) return std::nullopt;
      TRY_INTO(const auto counts, shard_counts(*shard, fields, now_ms));
      value = std::to_string(counts->shard_of(key_text(field->type, of)));
    } else {
      const Plain& field_value = fields.member(part.field);
      const design::Field* field = entity.field(part.field);
      if (!field_value.exists() || field == nullptr) return std::nullopt;
      value = key_text(field->type, field_value);
      type = &field->type;
    }
    out += design::render(part, value, type);
  }
  return out;
}

Outcome<std::optional<Item>> ItemForm::key_by(const design::Entity& entity, const Templates& templates,
                                              const Plain& fields, int64_t now_ms) {
  const design::Table* table = design_.table(entity.table);
  if (table == nullptr || templates.empty()) return std::nullopt;
  std::vector<std::pair<std::string, Value>> values;
  size_t i = 0;
  for (const auto* half : {&table->key.hash, &table->key.range}) {
    for (const KeyAttribute& attribute : *half) {
      const size_t at = templates.size() == 1 ? 0 : i;
      ++i;
      if (at >= templates.size()) return std::nullopt;
      TRY_INTO(const auto result, text(entity, templates[at], fields, now_ms));
      if (!result) return std::nullopt;
      values.emplace_back(attribute.name, key_attribute_value(*result, attribute.type));
    }
  }
  std::vector<Field> attributes;
  for (const auto& [name, value] : values) attributes.push_back({name, value});
  return Item(std::move(attributes));
}

Outcome<std::optional<Item>> ItemForm::key(const design::Entity& entity, const Plain& fields, int64_t now_ms) {
  return key_by(entity, entity.key, fields, now_ms);
}

Outcome<std::optional<Item>> ItemForm::guard_key(const design::Entity& entity, const design::Guard& guard,
                                                 const Plain& fields, int64_t now_ms) {
  return key_by(entity, guard.key, fields, now_ms);
}

Outcome<std::optional<Item>> ItemForm::guard_item(const design::Entity& entity, const design::Guard& guard,
                                                  const Plain& fields, int64_t now_ms) {
  TRY_INTO(const auto where, guard_key(entity, guard, fields, now_ms));
  if (!where) return std::nullopt;
  const design::Table* table = design_.table(entity.table);
  std::vector<std::pair<std::string, Value>> values;
  if (!table->type_attribute.empty() && !guard.type.empty())
    values.emplace_back(table->type_attribute, Value::string(guard.type));
  for (const std::string& name : guard.keeps) {
    const design::Field* field = entity.field(name);
    const Plain& field_value = fields.member(name);
    const std::string attribute = entity.guard_attribute(*table, guard, name);
    if (field == nullptr || !field_value.exists() || table->key.contains(attribute)) continue;
    if (design::is_stored_closed(entity, *field)) continue;  // never in the clear (T346)
    TRY_INTO(Value value, to_value(field_value, design::stored_type(field->type)));
    values.emplace_back(attribute, std::move(value));
  }
  ItemEditor editor(*where);
  for (const auto& [name, value] : values) editor.set(name, value);
  return editor.build();
}

Outcome<bool> ItemForm::entry_exists(const design::Entity& entity, const design::IndexEntry& entry, const Plain& fields,
                                     int64_t now_ms) {
  for (const Template& key : entry.key) {
    for (const TemplatePart& part : key.parts) {
      if (part.is_literal()) continue;
      const design::Shard* shard = entity.shard(part.field);
      if (!fields.member(shard == nullptr ? part.field : shard->of).exists()) return false;
    }
  }
  if (!entry.condition) return true;
  Scope scope;
  scope.fields = &fields;
  scope.now_ms = now_ms;
  return holds(*entry.condition, scope);
}

Outcome<std::vector<ComputedAttribute>> ItemForm::computed_attributes(const design::Entity& entity, const Plain& fields,
                                                                      int64_t now_ms) {
  const design::Table* table = design_.table(entity.table);
  std::vector<ComputedAttribute> out;
  if (table == nullptr) return out;
  const auto has = [&](std::string_view name) {
    return std::any_of(out.begin(), out.end(),
                       [&](const ComputedAttribute& computed) { return computed.name == name; });
  };
  size_t i = 0;
  for (const auto* half : {&table->key.hash, &table->key.range}) {
    for (const KeyAttribute& attribute : *half) {
      const size_t at = i++;
      if (at >= entity.key.size()) continue;
      TRY_INTO(const auto result, text(entity, entity.key[at], fields, now_ms));
      out.push_back(
          {attribute.name, result ? std::optional(key_attribute_value(*result, attribute.type)) : std::nullopt});
    }
  }
  if (!table->type_attribute.empty()) out.push_back({table->type_attribute, Value::string(entity.type)});
  for (const design::IndexEntry& entry : entity.index) {
    const design::Index* index = table->index(entry.index);
    if (index == nullptr) continue;
    TRY_INTO(const bool exists, entry_exists(entity, entry, fields, now_ms));
    i = 0;
    for (const auto* half : {&index->key.hash, &index->key.range}) {
      for (const KeyAttribute& attribute : *half) {
        const size_t at = i++;
        if (at >= entry.key.size() || has(attribute.name)) continue;
        const Template& key = entry.key[at];
        // An attribute that stores the field itself exists if the field does.
        const bool own = entity.field(attribute.name) != nullptr;
        if (own && is_bare(key, attribute.name)) continue;
        std::optional<Value> value;
        if (exists || own) {
          TRY_INTO(const auto result, text(entity, key, fields, now_ms));
          if (result) value = key_attribute_value(*result, attribute.type);
        }
        if (own && !value) continue;
        out.push_back({attribute.name, std::move(value)});
      }
    }
  }
  if (const std::string* attribute = entity.expiry_attribute(*table)) {
    Scope scope;
    scope.fields = &fields;
    scope.now_ms = now_ms;
    TRY_INTO(Plain time, evaluate(*entity.ttl, scope));
    // If no expiry follows from the fields, an existing one was set by another program and is left alone.
    TRY_INTO(auto value, expiry_value(design_, std::move(time)));
    if (value) out.push_back({*attribute, std::move(value)});
  }
  return out;
}

}  // namespace trestle::runtime
