// Shorthands for values and requests in the tests of this folder.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expression/binding.h"

namespace trestle::testing {

inline Value s(std::string_view text) { return Value::string(text); }
inline Value n(int64_t number) { return Value::number(number); }
inline Value n(std::string_view canonical) { return Value::number(canonical); }
inline Value b(std::string_view bytes) { return Value::binary(bytes); }
inline Value ss(std::vector<std::string_view> elements) {
  return Value::set(ValueType::kStringSet, std::move(elements));
}
inline Value ns(std::vector<std::string_view> elements) {
  return Value::set(ValueType::kNumberSet, std::move(elements));
}
inline Value bs(std::vector<std::string_view> elements) {
  return Value::set(ValueType::kBinarySet, std::move(elements));
}
inline Value list(std::initializer_list<Value> elements) {
  const std::vector<ValueView> views(elements.begin(), elements.end());
  return Value::list(views);
}
inline Value map(std::initializer_list<std::pair<std::string_view, Value>> fields) {
  std::vector<Field> views;
  for (const auto& [name, value] : fields) views.push_back({name, value});
  return Value::map(std::move(views));
}

// The names and values of a request.
inline Placeholders placeholders_of(NameMap names, ValueMap values) {
  Placeholders placeholders;
  if (!names.empty()) placeholders.names = std::move(names);
  if (!values.empty()) placeholders.values = std::move(values);
  return placeholders;
}
inline Placeholders placeholders_of(ValueMap values) { return placeholders_of(NameMap{}, std::move(values)); }
inline Placeholders placeholders_of_names(NameMap names) { return placeholders_of(std::move(names), ValueMap{}); }

template <class T>
std::string message_of(const Result<T>& result) {
  return result ? "(no error)" : result.error().message;
}

}  // namespace trestle::testing
