#include "expression/binding.h"

#include <fmt/format.h>

#include <algorithm>

namespace trestle {
namespace {

bool is_placeholder(std::string_view key, char sign) {
  if (key.size() < 2 || key[0] != sign) return false;
  return std::ranges::all_of(key.substr(1), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

template <class Map>
Result<void> check_keys(const Map& map, std::string_view parameter, char sign) {
  if (map.empty()) return invalid(fmt::format("{} must not be empty", parameter));
  for (const auto& entry : map) {
    if (is_placeholder(entry.first, sign)) continue;
    return invalid(fmt::format("{} contains invalid key: Syntax error; key: \"{}\"", parameter, entry.first));
  }
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

template <class Map>
Result<void> check_used(const Map* map, const std::vector<bool>& used, std::string_view parameter) {
  if (std::ranges::find(used, false) == used.end()) return {};
  std::string keys;
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i]) continue;
    if (!keys.empty()) keys += ", ";
    keys += (*map)[i].first;
  }
  return invalid(fmt::format("Value provided in {} unused in expressions: keys: {{{}}}", parameter, keys));
}

constexpr std::string_view kNames = "ExpressionAttributeNames";
constexpr std::string_view kValues = "ExpressionAttributeValues";

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
    TRY(check_keys(*placeholders.values, kValues, ':'));
    binding.values_ = &*placeholders.values;
    binding.values_used_.assign(placeholders.values->size(), false);
  }
  return binding;
}

Result<Binding> Binding::make_names(const std::optional<NameMap>& names, bool has_expression) {
  Binding binding;
  if (!names) return binding;
  if (!has_expression) TRY(pointless(kNames, {}));
  TRY(check_keys(*names, kNames, '#'));
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
