// Type traits used by the readers and writers of shapes.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/shapes/shape.h"

namespace trestle {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

template <class Rule>
inline constexpr bool is_keyed_by = false;
template <class Element, class Field>
inline constexpr bool is_keyed_by<rules::KeyedBy<Element, Field>> = true;

// A map, in document order: a list of pairs, or of structures keyed by a field.
template <class T, class... Rules>
inline constexpr bool is_map = is_list<T> && (is_keyed_by<Rules> || ...);
template <class T, class... Rules>
inline constexpr bool is_map<std::vector<std::pair<std::string, T>>, Rules...> = true;

template <class Rule>
inline constexpr bool is_one_of = false;
template <class E, size_t N>
inline constexpr bool is_one_of<rules::OneOf<E, N>> = true;

template <class... Rules>
inline constexpr bool has_choices = (is_one_of<Rules> || ...);
template <class Rule, class... Rules>
inline constexpr bool has_rule = (std::is_same_v<Rule, Rules> || ...);

template <class Rule, class... Rules>
constexpr const Rule& find_rule(const Rules&... rules) {
  return std::get<const Rule&>(std::tie(rules...));
}

template <class Rule, class... More>
constexpr const auto& find_choices(const Rule& rule, const More&... more) {
  if constexpr (is_one_of<Rule>) {
    return rule.choices;
  } else {
    return find_choices(more...);
  }
}

// The key and the value of a map member.
template <class Element, class Rule, class... More>
constexpr auto map_member(Element& element, const Rule& rule, const More&... more) {
  if constexpr (is_keyed_by<Rule>) {
    return std::tie(element.*rule.key, rule.mapped(element));
  } else {
    return map_member(element, more...);
  }
}
template <class Element>
constexpr auto map_member(Element& element) {
  return std::tie(element.first, element.second);
}

// The shape of a type: its own, or the one that its rules name.
template <class T, class... Rules>
struct FindShape {
  using Type = Shape<T>;
};
template <class T, class Other, class... Rules>
struct FindShape<T, rules::As<Other>, Rules...> {
  using Type = Other;
};
template <class T, class Rule, class... Rules>
struct FindShape<T, Rule, Rules...> : FindShape<T, Rules...> {};
template <class T, class... Rules>
using ShapeOf = typename FindShape<T, Rules...>::Type;

template <class T, class... Rules>
concept HasShape = requires { sizeof(ShapeOf<T, Rules...>); };

// The name of a structure in DynamoDB's messages.
template <class Members, class... Rules>
constexpr std::string_view structure_type(const Rules&... rules) {
  if constexpr (has_rule<rules::TypeName, Rules...>) {
    return find_rule<rules::TypeName>(rules...).name;
  } else if constexpr (requires { Members::kType; }) {
    return Members::kType;
  } else {
    return "Structure";
  }
}

}  // namespace trestle
