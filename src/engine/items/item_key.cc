#include "engine/items/item_key.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/tables/key_definition.h"
#include "engine/vectors/vector_entry.h"
#include "expression/key_condition.h"
#include "model/limits.h"

namespace trestle {
namespace {

constexpr const char* kMismatch = "The provided key element does not match the schema";

constexpr const char* kHashTooLong = "Size of hashkey has exceeded the maximum size limit of2048 bytes";
constexpr const char* kRangeTooLong = "Aggregated size of all range keys has exceeded the size limit of 1024 bytes";

size_t total_bytes(const std::vector<KeyAttribute>& attributes, ItemView item) {
  size_t bytes = 0;
  for (const KeyAttribute& attribute : attributes) {
    const auto value = item.find(attribute.name);
    if (value && value->type() == attribute.type) bytes += value->size_bytes();
  }
  return bytes;
}

Result<void> check_sizes(const KeySchema& key, ItemView item) {
  if (total_bytes(key.hash, item) > kHashKeyBytesMax) return invalid_parameter(kHashTooLong);
  if (total_bytes(key.range, item) > kRangeKeyBytesMax) return invalid_parameter(kRangeTooLong);
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
    return check_key_not_empty(attribute, *value);
  }));
  return check_sizes(key, item);
}

Result<void> check_index_attribute(const IndexDescription& index, const KeyAttribute& attribute, ItemView item) {
  const auto value = item.find(attribute.name);
  if (!value) return {};
  if (value->type() != attribute.type) return index_type_mismatch(index.name, attribute, value->type());
  if (is_empty_key_value(*value)) return empty_index_key(index.name, attribute, *value);
  return {};
}

// If several indexes have errors, returns the error of the index whose name sorts first, as DynamoDB does.
template <class Check>
Result<void> each_index(const TableDescription& table, Check check) {
  const IndexDescription* first = nullptr;
  Result<void> error;
  for (const IndexDescription& index : table.indexes) {
    if (first != nullptr && first->name < index.name) continue;
    Result<void> checked = check(index);
    if (checked.has_value()) continue;
    first = &index;
    error = std::move(checked);
  }
  return error;
}

// Checks the types and sizes of attributes that are index keys.
Result<void> check_index_keys(const TableDescription& table, ItemView item) {
  TRY(each_index(table, [&](const IndexDescription& index) -> Result<void> {
    TRY(each_attribute(index.key,
                       [&](const KeyAttribute& attribute) { return check_index_attribute(index, attribute, item); }));
    return check_sizes(index.key, item);
  }));
  return check_vectors(table, item);
}

bool writes(const Update& update, std::string_view attribute) {
  return std::ranges::binary_search(update.attributes(), attribute);
}

bool writes_any(const Update& update, const std::vector<KeyAttribute>& attributes) {
  return std::ranges::any_of(attributes, [&](const KeyAttribute& attribute) { return writes(update, attribute.name); });
}

// Whether the request itself contains the value written to one of the attributes.
bool writes_known_value(const std::vector<Update::KnownWrite>& known, const std::vector<KeyAttribute>& attributes) {
  return std::ranges::any_of(known, [&](const Update::KnownWrite& write) {
    return write.value && std::ranges::find(attributes, write.attribute, &KeyAttribute::name) != attributes.end();
  });
}

Result<void> check_updated_sizes(const KeySchema& key, const Update& update, ItemView updated) {
  const auto check = [&](const std::vector<KeyAttribute>& attributes, size_t bytes_max,
                         const char* message) -> Result<void> {
    if (!writes_any(update, attributes) || total_bytes(attributes, updated) <= bytes_max) return {};
    if (writes_known_value(update.known_writes(), attributes)) return invalid_parameter(message);
    return invalid("The update expression attempted to update the secondary index key beyond allowed size limits");
  };
  TRY(check(key.hash, kHashKeyBytesMax, kHashTooLong));
  return check(key.range, kRangeKeyBytesMax, kRangeTooLong);
}

}  // namespace

std::unexpected<Error> index_type_mismatch(std::string_view index, const KeyAttribute& attribute, ValueType actual) {
  return invalid_parameter(fmt::format("Type mismatch for Index Key {} Expected: {} Actual: {} IndexName: {}",
                                       attribute.name, type_name(attribute.type), type_name(actual), index));
}

std::unexpected<Error> empty_index_key(std::string_view index, const KeyAttribute& attribute, ValueView value) {
  return invalid(
      fmt::format("One or more parameter values are not valid. A value specified for a secondary index key is not "
                  "supported. The AttributeValue for a key attribute cannot contain an empty {} value. IndexName: {}, "
                  "IndexKey: {}",
                  empty_kind(value.type()), index, attribute.name));
}

Result<void> check_key_not_updated(const TableDescription& table, const Update& update) {
  for (const std::string_view name : update.attributes()) {
    if (!table.key.contains(name)) continue;
    return invalid_parameter(fmt::format("Cannot update attribute {}. This attribute is part of the key", name));
  }
  return {};
}

bool has_duplicates(std::vector<std::string_view> keys) {
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) != keys.end();
}

Result<void> check_batch_keys(std::vector<std::string_view> keys) {
  if (!has_duplicates(std::move(keys))) return {};
  return invalid("Provided list of item keys contains duplicates");
}

Result<void> check_written_index_types(const TableDescription& table, const Update& update) {
  if (table.indexes.empty()) return {};
  const std::vector<Update::KnownWrite> known = update.known_writes();
  return each_index(table, [&](const IndexDescription& index) {
    return each_attribute(index.key, [&](const KeyAttribute& attribute) -> Result<void> {
      const auto write = std::ranges::find(known, attribute.name, &Update::KnownWrite::attribute);
      if (write == known.end() || write->type == attribute.type) return {};
      return index_type_mismatch(index.name, attribute, write->type);
    });
  });
}

Result<void> check_no_empty_updated_key(const TableDescription& table, const Update& update, ItemView updated) {
  return each_index(table, [&](const IndexDescription& index) {
    return each_attribute(index.key, [&](const KeyAttribute& attribute) -> Result<void> {
      if (!writes(update, attribute.name)) return {};
      const auto value = updated.find(attribute.name);
      if (!value || value->type() != attribute.type || !is_empty_key_value(*value)) return {};
      if (update.is_legacy()) return empty_index_key(index.name, attribute, *value);
      return invalid(fmt::format(
          "One or more parameter values are not valid. The update expression attempted to update a secondary index key "
          "to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty {} value.",
          empty_kind(value->type())));
    });
  });
}

Result<void> check_updated_index_keys(const TableDescription& table, const Update& update, ItemView updated) {
  TRY(check_no_empty_updated_key(table, update, updated));
  TRY(each_index(table, [&](const IndexDescription& index) -> Result<void> {
    TRY(each_attribute(index.key, [&](const KeyAttribute& attribute) -> Result<void> {
      const auto value = updated.find(attribute.name);
      if (!value || value->type() == attribute.type || !writes(update, attribute.name)) return {};
      return invalid("The update expression attempted to update the secondary index key to unsupported type");
    }));
    return check_updated_sizes(index.key, update, updated);
  }));
  return check_vectors(table, updated, &update.attributes());
}

Result<void> check_new_key(const TableDescription& table, ItemView key) {
  return each_index(table, [&](const IndexDescription& index) { return check_sizes(index.key, key); });
}

bool belongs_in_index(const KeySchema& index_key, ItemView item) {
  const auto fits = [&](const KeyAttribute& attribute) -> Result<void> {
    const auto value = item.find(attribute.name);
    if (!value || value->type() != attribute.type || is_empty_key_value(*value)) return invalid("");
    return {};
  };
  return each_attribute(index_key, fits).has_value() && total_bytes(index_key.hash, item) <= kHashKeyBytesMax &&
         total_bytes(index_key.range, item) <= kRangeKeyBytesMax;
}

Result<void> check_item(const TableDescription& table, ItemView item) {
  TRY(each_attribute(table.key, [&](const KeyAttribute& attribute) -> Result<void> {
    const auto value = item.find(attribute.name);
    if (!value) return invalid_parameter(fmt::format("Missing the key {} in the item", attribute.name));
    if (value->type() != attribute.type) {
      return invalid_parameter(fmt::format("Type mismatch for key {} expected: {} actual: {}", attribute.name,
                                           type_name(attribute.type), type_name(value->type())));
    }
    return check_key_not_empty(attribute, *value);
  }));
  TRY(check_sizes(table.key, item));
  return check_index_keys(table, item);
}

Result<void> check_batch_item(const TableDescription& table, ItemView item) {
  TRY(check_bare_values(table.key, item));
  return check_index_keys(table, item);
}

Result<void> check_no_empty_key(const TableDescription& table, ItemView item) {
  const auto is_empty = [&](const KeyAttribute& attribute) {
    const auto value = item.find(attribute.name);
    return value && value->type() == attribute.type && is_empty_key_value(*value);
  };
  TRY(each_attribute(table.key, [&](const KeyAttribute& attribute) -> Result<void> {
    if (!is_empty(attribute)) return {};
    return check_key_not_empty(attribute, *item.find(attribute.name));
  }));
  TRY(each_index(table, [&](const IndexDescription& index) {
    return each_attribute(index.key, [&](const KeyAttribute& attribute) -> Result<void> {
      if (!is_empty(attribute)) return {};
      return check_index_attribute(index, attribute, item);
    });
  }));
  return check_no_empty_search_key(table, item);
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
