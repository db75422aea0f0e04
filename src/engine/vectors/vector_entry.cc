#include "engine/vectors/vector_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "engine/items/item_key.h"
#include "expression/key_condition.h"
#include "model/number.h"
#include "storage/key_encoding.h"

namespace trestle {
namespace {

static_assert(std::endian::native == std::endian::little, "entries hold numbers as they are in memory");

bool is_projected_with_vector(const TableDescription& table, const VectorIndexDescription& index,
                              std::string_view name) {
  if (name == index.vector_attribute) return false;
  if (index.projection.type == ProjectionType::kAll || table.key.contains(name)) return true;
  const auto has_name = [&](const SearchAttribute& element) { return element.attribute.name == name; };
  if (std::ranges::any_of(index.search_schema, has_name)) return true;
  const auto& names = index.projection.non_key_attributes;
  return index.projection.type == ProjectionType::kInclude && std::ranges::find(names, name) != names.end();
}

Item project_with_vector(const TableDescription& table, const VectorIndexDescription& index, ItemView item) {
  std::vector<Field> fields;
  for (const Field& field : item.attributes()) {
    if (is_projected_with_vector(table, index, field.name)) fields.push_back(field);
  }
  return Item(std::move(fields));
}

size_t vector_bytes(const VectorIndexDescription& index) {
  return static_cast<size_t>(index.dimensions) * sizeof(float);
}

std::optional<std::string> entry_key(const TableDescription& table, const VectorIndexDescription& index,
                                     ItemView item) {
  const KeyAttribute* hash = index.hash();
  if (hash == nullptr) return encode_table_key(index.keyspace, table.key, item);
  const KeySchema key{.hash = {*hash}, .range = {}};
  if (!belongs_in_index(key, item)) return std::nullopt;
  return encode_index_key(index.keyspace, key, table.key, item);
}

double request_bytes(size_t entry_bytes) { return std::max(kVectorRequestBytesMin, static_cast<double>(entry_bytes)); }

Result<void> check_vector(const VectorIndexDescription& index, ValueView value) {
  constexpr std::string_view kInvalid = "One or more parameter values were invalid.";
  if (value.type() != ValueType::kList) {
    return invalid(
        fmt::format("{} Invalid type for parameter {}, Expected: 32-bit floating point number list "
                    "IndexName: {}",
                    kInvalid, index.vector_attribute, index.name));
  }
  if (value.list().size() != static_cast<size_t>(index.dimensions)) {
    return invalid(fmt::format("{} Invalid size for parameter {}, Expected: {}, Actual: {} IndexName: {}", kInvalid,
                               index.vector_attribute, index.dimensions, value.list().size(), index.name));
  }
  size_t at = 0;
  for (const ValueView element : value.list()) {
    if (!float_of(element)) {
      return invalid(
          fmt::format("{} Invalid type for parameter {}[{}], Expected: 32-bit floating point number, "
                      "Actual: {}. IndexName: {}",
                      kInvalid, index.vector_attribute, at, type_name(element.type()), index.name));
    }
    ++at;
  }
  return {};
}

Result<void> check_search_attribute(const VectorIndexDescription& index, const SearchAttribute& element,
                                    ValueView value) {
  const KeyAttribute& attribute = element.attribute;
  if (value.type() != attribute.type) return index_type_mismatch(index.name, attribute, value.type());
  if (element.is_hash && is_empty_key_value(value)) return empty_index_key(index.name, attribute, value);
  return {};
}

}  // namespace

std::optional<float> float_of(ValueView value) {
  if (value.type() != ValueType::kNumber) return std::nullopt;
  const std::string_view text = value.scalar();
  float number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{}) return number;
  // Out of range: either too large, or so small that it is rounded to zero.
  double wide = 0;
  std::from_chars(text.data(), text.data() + text.size(), wide);
  if (std::fabs(wide) > 1) return std::nullopt;
  return static_cast<float>(wide);
}

std::optional<std::vector<float>> vector_of(ValueView value, int64_t dimensions) {
  if (value.type() != ValueType::kList || value.list().size() != static_cast<size_t>(dimensions)) return std::nullopt;
  std::vector<float> vector;
  vector.reserve(static_cast<size_t>(dimensions));
  for (const ValueView element : value.list()) {
    const auto number = float_of(element);
    if (!number) return std::nullopt;
    vector.push_back(*number);
  }
  return vector;
}

Value vector_value(std::span<const float> vector) {
  std::string bytes;
  const size_t start = begin_list(bytes, vector.size());
  for (const float number : vector) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    append_number(bytes, *canonical_number(std::string_view(text, end)));
  }
  end_container(bytes, start);
  return Value(std::move(bytes));
}

std::optional<VectorEntry> vector_entry(const TableDescription& table, const VectorIndexDescription& index,
                                        ItemView item) {
  if (item.empty()) return std::nullopt;
  const auto value = item.find(index.vector_attribute);
  if (!value) return std::nullopt;
  const auto vector = vector_of(*value, index.dimensions);
  if (!vector) return std::nullopt;
  auto key = entry_key(table, index, item);
  if (!key) return std::nullopt;
  const Item rest = project_with_vector(table, index, item);
  VectorEntry entry{.key = std::move(*key), .value = {}, .size_bytes = 0};
  entry.value.resize(vector_bytes(index));
  std::memcpy(entry.value.data(), vector->data(), entry.value.size());
  entry.value.append(rest.bytes());
  entry.size_bytes = entry_size_bytes(index, entry.value);
  return entry;
}

std::vector<float> entry_vector(const VectorIndexDescription& index, std::string_view value) {
  CHECK(value.size() >= vector_bytes(index));
  std::vector<float> vector(static_cast<size_t>(index.dimensions));
  std::memcpy(vector.data(), value.data(), vector_bytes(index));
  return vector;
}

ItemView entry_item(const VectorIndexDescription& index, std::string_view value) {
  CHECK(value.size() >= vector_bytes(index));
  return ItemView(value.substr(vector_bytes(index)));
}

size_t entry_size_bytes(const VectorIndexDescription& index, std::string_view value) {
  return entry_item(index, value).size_bytes() + index.vector_attribute.size() + vector_bytes(index);
}

std::string entry_partition(const VectorIndexDescription& index, std::string_view key) {
  const KeyAttribute* hash = index.hash();
  if (hash == nullptr) return {};
  std::string_view rest = key.substr(kKeyPrefixBytes);
  CHECK(read_component(rest, hash->type).has_value());
  return std::string(key.substr(0, key.size() - rest.size()));
}

std::string entry_partition(const VectorIndexDescription& index, ValueView hash) {
  return encode_partition(index.keyspace, {&hash, 1});
}

std::vector<VectorChange> vector_delta(const TableDescription& table, ItemView before, ItemView after) {
  std::vector<VectorChange> changes;
  for (size_t i = 0; i < table.vector_indexes.size(); ++i) {
    const VectorIndexDescription& index = table.vector_indexes[i];
    const auto old_entry = vector_entry(table, index, before);
    auto new_entry = vector_entry(table, index, after);
    if (!old_entry && !new_entry) continue;
    VectorChange change{.index = i};
    if (old_entry && new_entry && old_entry->key == new_entry->key) {
      if (old_entry->value == new_entry->value) continue;
      change.request_bytes = request_bytes(std::max(old_entry->size_bytes, new_entry->size_bytes));
    } else {
      if (old_entry) {
        change.request_bytes += request_bytes(old_entry->size_bytes);
        change.erase = old_entry->key;
      }
      if (new_entry) change.request_bytes += request_bytes(new_entry->size_bytes);
    }
    change.items_change = (new_entry ? 1 : 0) - (old_entry ? 1 : 0);
    change.bytes_change = (new_entry ? static_cast<int64_t>(new_entry->size_bytes) : 0) -
                          (old_entry ? static_cast<int64_t>(old_entry->size_bytes) : 0);
    change.put = std::move(new_entry);
    changes.push_back(std::move(change));
  }
  return changes;
}

Result<void> check_vectors(const TableDescription& table, ItemView item, const std::vector<std::string_view>* written) {
  const auto find = [&](std::string_view name) -> std::optional<ValueView> {
    if (written != nullptr && !std::ranges::binary_search(*written, name)) return std::nullopt;
    return item.find(name);
  };
  for (const VectorIndexDescription& index : table.vector_indexes) {
    if (const auto value = find(index.vector_attribute)) TRY(check_vector(index, *value));
    for (const SearchAttribute& element : index.search_schema) {
      const auto value = find(element.attribute.name);
      if (value) TRY(check_search_attribute(index, element, *value));
    }
  }
  return {};
}

Result<void> check_no_empty_search_key(const TableDescription& table, ItemView item) {
  for (const VectorIndexDescription& index : table.vector_indexes) {
    for (const SearchAttribute& element : index.search_schema) {
      const auto value = item.find(element.attribute.name);
      if (value && value->type() == element.attribute.type) TRY(check_search_attribute(index, element, *value));
    }
  }
  return {};
}

size_t billed_bytes(const TableDescription& table, ItemView item) {
  if (item.empty()) return 0;
  size_t bytes = item.size_bytes();
  for (size_t i = 0; i < table.vector_indexes.size(); ++i) {
    const VectorIndexDescription& index = table.vector_indexes[i];
    const auto is_same = [&](const auto& other) { return other.vector_attribute == index.vector_attribute; };
    const auto begin = table.vector_indexes.begin();
    if (std::any_of(begin, begin + static_cast<std::ptrdiff_t>(i), is_same)) continue;
    const auto value = item.find(index.vector_attribute);
    if (!value || !vector_of(*value, index.dimensions)) continue;
    bytes = bytes - value->size_bytes() + vector_bytes(index);
  }
  return bytes;
}

}  // namespace trestle
