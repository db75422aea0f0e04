#include "engine/item_key.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/key_definition.h"
#include "engine/vector_entry.h"
#include "model/limits.h"

namespace trestle {
namespace {

constexpr const char* kMismatch = "The provided key element does not match the schema";

bool is_empty_key_value(ValueView value) { return value.type() != ValueType::kNumber && value.scalar().empty(); }

std::string_view kind_word(ValueView value) { return value.type() == ValueType::kString ? "string" : "binary"; }

Result<void> check_not_empty(const KeyAttribute& attribute, ValueView value) {
  if (!is_empty_key_value(value)) return {};
  return invalid(fmt::format("One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
                             "contain an empty {} value. Key: {}",
                             kind_word(value), attribute.name));
}

Result<void> check_sizes(const KeySchema& key, ItemView item) {
  const auto total = [&](const std::vector<KeyAttribute>& attributes) {
    size_t bytes = 0;
    for (const KeyAttribute& attribute : attributes) {
      const auto value = item.find(attribute.name);
      if (value && value->type() == attribute.type) bytes += value->size_bytes();
    }
    return bytes;
  };
  if (total(key.hash) > kHashKeyBytesMax) {
    return invalid_parameter("Size of hashkey has exceeded the maximum size limit of2048 bytes");
  }
  if (total(key.range) > kRangeKeyBytesMax) {
    return invalid_parameter("Aggregated size of all range keys has exceeded the size limit of 1024 bytes");
  }
  return {};
}

template <class Check>
Result<void> each_attribute(const KeySchema& key, Check check) {
  for (const auto* attributes : {&key.hash, &key.range}) {
    for (const KeyAttribute& attribute : *attributes) TRY(check(attribute));
  }
  return {};
}

Result<void> check_bare_values(const KeySchema& key, ItemView item) {
  TRY(each_attribute(key, [&](const KeyAttribute& attribute) -> Result<void> {
    const auto value = item.find(attribute.name);
    if (!value || value->type() != attribute.type) return invalid(kMismatch);
    return check_not_empty(attribute, *value);
  }));
  return check_sizes(key, item);
}

Result<void> check_index_attribute(const IndexDescription& index, const KeyAttribute& attribute, ItemView item,
                                   bool updating) {
  const auto value = item.find(attribute.name);
  if (!value) return {};
  if (value->type() != attribute.type) {
    if (updating) return invalid("The update expression attempted to update the secondary index key to unsupported type");
    return invalid_parameter(fmt::format("Type mismatch for Index Key {} Expected: {} Actual: {} IndexName: {}",
                                         attribute.name, type_name(attribute.type), type_name(value->type()),
                                         index.name));
  }
  if (is_empty_key_value(*value)) {
    return invalid(
        fmt::format("One or more parameter values are not valid. A value specified for a secondary index key is not "
                    "supported. The AttributeValue for a key attribute cannot contain an empty {} value. IndexName: {}, "
                    "IndexKey: {}",
                    kind_word(*value), index.name, attribute.name));
  }
  return {};
}

}  // namespace

Result<void> check_index_keys(const TableDescription& table, ItemView item, bool updating) {
  for (const IndexDescription& index : table.indexes) {
    TRY(each_attribute(index.key, [&](const KeyAttribute& attribute) {
      return check_index_attribute(index, attribute, item, updating);
    }));
    TRY(check_sizes(index.key, item));
  }
  return check_vectors(table, item);
}

Result<void> check_item(const TableDescription& table, ItemView item) {
  TRY(each_attribute(table.key, [&](const KeyAttribute& attribute) -> Result<void> {
    const auto value = item.find(attribute.name);
    if (!value) return invalid_parameter(fmt::format("Missing the key {} in the item", attribute.name));
    if (value->type() != attribute.type) {
      return invalid_parameter(fmt::format("Type mismatch for key {} expected: {} actual: {}", attribute.name,
                                           type_name(attribute.type), type_name(value->type())));
    }
    return check_not_empty(attribute, *value);
  }));
  TRY(check_sizes(table.key, item));
  return check_index_keys(table, item, false);
}

Result<void> check_batch_item(const TableDescription& table, ItemView item) {
  TRY(check_bare_values(table.key, item));
  return check_index_keys(table, item, false);
}

Result<void> check_no_empty_key(const TableDescription& table, ItemView item) {
  const auto is_empty = [&](const KeyAttribute& attribute) {
    const auto value = item.find(attribute.name);
    return value && value->type() == attribute.type && is_empty_key_value(*value);
  };
  TRY(each_attribute(table.key, [&](const KeyAttribute& attribute) -> Result<void> {
    if (!is_empty(attribute)) return {};
    return check_not_empty(attribute, *item.find(attribute.name));
  }));
  for (const IndexDescription& index : table.indexes) {
    TRY(each_attribute(index.key, [&](const KeyAttribute& attribute) -> Result<void> {
      if (!is_empty(attribute)) return {};
      return check_index_attribute(index, attribute, item, false);
    }));
  }
  return check_no_empty_search_key(table, item);
}

Result<void> check_no_empty_index_key(const TableDescription& table, ItemView updated) {
  for (const IndexDescription& index : table.indexes) {
    TRY(each_attribute(index.key, [&](const KeyAttribute& attribute) -> Result<void> {
      const auto value = updated.find(attribute.name);
      if (!value || value->type() != attribute.type || !is_empty_key_value(*value)) return {};
      return invalid(fmt::format(
          "One or more parameter values are not valid. The update expression attempted to update a secondary index key "
          "to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty {} value.",
          kind_word(*value)));
    }));
  }
  return {};
}

Result<void> check_key(const TableDescription& table, ItemView key) {
  if (key.attributes().size() != table.key.hash.size() + table.key.range.size()) return invalid(kMismatch);
  return check_bare_values(table.key, key);
}

Result<void> check_nested_paths(const TableDescription& table, const std::vector<std::string_view>& nested) {
  if (nested.empty()) return {};
  const auto check = [&](const KeySchema& key, std::string_view kind) {
    return each_attribute(key, [&](const KeyAttribute& attribute) -> Result<void> {
      if (std::find(nested.begin(), nested.end(), attribute.name) == nested.end()) return {};
      return invalid(fmt::format(
          "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: {}: {}", kind,
          attribute.name));
    });
  };
  TRY(check(table.key, "Key"));
  for (const IndexDescription& index : table.indexes) TRY(check(index.key, "IndexKey"));
  return {};
}

Item key_of(const KeySchema& key, ItemView item) { return index_key_of(key, key, item); }

Item index_key_of(const KeySchema& index_key, const KeySchema& table_key, ItemView item) {
  std::vector<Field> fields;
  for (const Field& field : item.attributes()) {
    if (index_key.contains(field.name) || table_key.contains(field.name)) fields.push_back(field);
  }
  return Item(std::move(fields));
}

}  // namespace trestle
