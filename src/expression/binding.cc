#include "expression/binding.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/limits.h"

namespace trestle {
namespace {

bool is_placeholder(std::string_view key, char sign) {
  if (key.size() < 2 || key[0] != sign) return false;
  return std::ranges::all_of(key.substr(1), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

constexpr std::string_view kNames = "ExpressionAttributeNames";
constexpr std::string_view kValues = "ExpressionAttributeValues";
constexpr size_t kKeyBytesMax = 255;

Result<void> check_key(std::string_view key, std::string_view parameter, char sign) {
  std::string fault;
  if (key.size() > kKeyBytesMax) {
    fault = fmt::format("The expression attribute map contains a key that is too long; size of key: {}", key.size());
  } else if (!is_placeholder(key, sign)) {
    fault = fmt::format("Syntax error; key: \"{}\"", key);
  } else {
    return {};
  }
  return invalid(fmt::format("{} contains invalid key: {}", parameter, fault));
}

Result<void> check_names(const NameMap& names) {
  if (names.empty()) return invalid("ExpressionAttributeNames must not be empty");
  for (const auto& [key, name] : names) {
    TRY(check_key(key, kNames, '#'));
    if (name.empty()) {
      return invalid(
          fmt::format("ExpressionAttributeNames contains invalid value: Empty attribute name for key {}", key));
    }
    if (name.size() > kAttributeNameBytesMax) {
      return invalid(
          fmt::format("ExpressionAttributeNames contains invalid value: One or more parameter values were invalid: "
                      "Attribute name is too large, must be less than 65536 bytes for key {}",
                      key));
    }
  }
  return {};
}

Result<void> check_values(const ValueMap& values) {
  if (values.empty()) return invalid("ExpressionAttributeValues must not be empty");
  for (const auto& [key, value] : values) TRY(check_key(key, kValues, ':'));
  return {};
}

template <class Map>
const typename Map::value_type* find(const Map* map, std::string_view key, size_t& next, std::vector<bool>& used) {
  if (map == nullptr) return nullptr;
  for (size_t tried = 0; tried < map->size(); ++tried) {
    if (next >= map->size()) next = 0;
    const size_t i = next++;
    if ((*map)[i].first != key) continue;
    used[i] = true;
    return &(*map)[i];
  }
  return nullptr;
}

// The bucket of a key in a Java HashSet with `capacity` buckets, because DynamoDB lists keys in that order.
uint32_t java_bucket(std::string_view key, uint32_t capacity) {
  uint32_t hash = 0;
  for (char c : key) hash = hash * 31 + static_cast<unsigned char>(c);
  return (hash ^ hash >> 16) & (capacity - 1);
}

template <class Map>
Result<void> check_used(const Map* map, const std::vector<bool>& used, std::string_view parameter) {
  if (std::ranges::find(used, false) == used.end()) return {};
  uint32_t capacity = 16;
  while (capacity * 3 <= map->size() * 4) capacity *= 2;
  std::vector<std::pair<uint32_t, size_t>> unused;  // bucket, and position in the map
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) unused.emplace_back(java_bucket((*map)[i].first, capacity), i);
  }
  std::ranges::sort(unused);
  std::vector<std::string_view> keys;
  for (const auto& [bucket, i] : unused) keys.push_back((*map)[i].first);
  return invalid(
      fmt::format("Value provided in {} unused in expressions: keys: {{{}}}", parameter, fmt::join(keys, ", ")));
}

Result<void> pointless(std::string_view parameter, std::string_view missing) {
  return invalid(fmt::format("{} can only be specified when using expressions{}{}", parameter,
                             missing.empty() ? "" : ": ", missing));
}

}  // namespace

Result<Binding> Binding::make(const Placeholders& placeholders, bool has_expression, bool may_use_values,
                              std::string_view missing) {
  if (placeholders.names && !has_expression) TRY(pointless(kNames, {}));
  if (placeholders.values && !(has_expression && may_use_values)) TRY(pointless(kValues, missing));
  TRY_INTO(Binding binding, make_names(placeholders.names, has_expression));
  if (placeholders.values) {
    TRY(check_values(*placeholders.values));
    binding.values_ = &*placeholders.values;
    binding.values_used_.assign(placeholders.values->size(), false);
  }
  return binding;
}

Result<Binding> Binding::make_names(const std::optional<NameMap>& names, bool has_expression) {
  Binding binding;
  if (!names) return binding;
  if (!has_expression) TRY(pointless(kNames, {}));
  TRY(check_names(*names));
  binding.names_ = &*names;
  binding.names_used_.assign(names->size(), false);
  return binding;
}

std::optional<std::string_view> Binding::name(std::string_view placeholder) {
  const auto* entry = find(names_, placeholder, next_name_, names_used_);
  if (entry == nullptr) return std::nullopt;
  return entry->second;
}

std::optional<ValueView> Binding::value(std::string_view placeholder) {
  const auto* entry = find(values_, placeholder, next_value_, values_used_);
  if (entry == nullptr) return std::nullopt;
  return entry->second.view();
}

Result<void> Binding::all_used() const {
  TRY(check_used(names_, names_used_, kNames));
  return check_used(values_, values_used_, kValues);
}

}  // namespace trestle
