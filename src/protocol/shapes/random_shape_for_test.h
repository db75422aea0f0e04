// Fills the fields of a structure with random values that the rules of its shape allow. For tests.
//
// Maker provides the random primitives (random_values_for_test.h), fill_value() for each type that has no shape or
// needs more than its shape says, and adjust() for each structure whose members depend on each other, which is called
// after the fields are filled.
#pragma once

#include <algorithm>
#include <string>

#include "model/shapes/all_shapes.h"
#include "protocol/shapes/shape_types.h"

namespace trestle {

template <class Rule>
inline constexpr bool is_each = false;
template <class... Rules>
inline constexpr bool is_each<rules::Each<Rules...>> = true;

template <class Members, class Maker, class T>
void fill_shape(Maker& maker, T& out);

template <class Maker, class T>
class ShapeFiller {
 public:
  ShapeFiller(Maker& maker, T& out) : maker_(maker), out_(out) {}

  template <class Owner, class Field, class... Rules>
  void member(std::string_view name, Field Owner::* field, const Rules&... rules) {
    fill_field(name, out_.*field, rules...);
  }
  template <class Owner, class Tag, class Field, class... Rules>
  void alternative(std::string_view name, Tag Owner::* tag, Tag value, Field Owner::* field, const Rules&... rules) {
    if (maker_.below(++alternatives_) != 0) return;
    out_.*tag = value;
    out_.*field = Field();
    fill_field(name, out_.*field, rules...);
  }
  template <class Owner, class Tag, class Members, class... Rules>
  void alternative(std::string_view, Tag Owner::* tag, Tag value, Members members, const Rules&...) {
    if (maker_.below(++alternatives_) != 0) return;
    out_ = T();
    out_.*tag = value;
    members(*this);
  }
  template <class Members, class... Rules>
  void structure(std::string_view, Members members, const Rules&...) {
    members(*this);
  }
  template <class Owner, class Field, class... Rules>
  void inlined(Field Owner::* field, const Rules&...) {
    fill_shape<ShapeOf<Field, Rules...>>(maker_, out_.*field);
  }
  void constant(std::string_view, auto) {}
  template <class Field, class... Rules>
  void unused(std::string_view, Field, const Rules&...) {}

 private:
  template <class Field, class... Rules>
  void fill_field(std::string_view name, Field& out, const Rules&... rules) {
    if constexpr (is_optional<Field>) {
      if (has_rule<rules::Required, Rules...> || maker_.flag()) fill_field(name, out.emplace(), rules...);
    } else if constexpr (requires { maker_.fill_value(out); }) {
      maker_.fill_value(out);
    } else if constexpr (is_list<Field>) {
      fill_list(name, out, rules...);
    } else if constexpr (has_choices<Rules...>) {
      const auto& choices = find_choices(rules...);
      out = choices[maker_.below(std::size(choices))].value;
    } else if constexpr (std::is_same_v<Field, std::string>) {
      out = make_text(name, rules...);
    } else if constexpr (std::is_same_v<Field, bool>) {
      out = maker_.flag();
    } else if constexpr (has_rule<rules::Timestamp, Rules...>) {
      out = maker_.time_ms();
    } else if constexpr (std::is_same_v<Field, int64_t>) {
      out = make_integer(rules...);
    } else if constexpr (std::is_same_v<Field, double>) {
      out = static_cast<double>(maker_.below(1000)) / 16 - 20;
    } else {
      fill_shape<ShapeOf<Field, Rules...>>(maker_, out);
    }
  }

  template <class Element, class... Rules>
  void fill_list(std::string_view name, std::vector<Element>& out, const Rules&... rules) {
    size_t min = 0;
    size_t max = 3;
    if constexpr (has_rule<rules::Count, Rules...>) {
      min = find_rule<rules::Count>(rules...).min;
      max = std::min(min + 2, find_rule<rules::Count>(rules...).max);
    }
    for (size_t number = min + maker_.below(max - min + 1); number > 0; --number) {
      if constexpr (is_map<std::vector<Element>, Rules...>) {
        auto [key, value] = map_member(out.emplace_back(), rules...);
        key = "key-" + std::to_string(number);
        fill_field(key, value);
      } else if constexpr ((is_each<Rules> || ...)) {
        fill_by_each(name, out.emplace_back(), rules...);
      } else {
        fill_field(name, out.emplace_back(), rules...);
      }
    }
  }
  template <class Element, class Rule, class... More>
  void fill_by_each(std::string_view name, Element& out, const Rule& rule, const More&... more) {
    if constexpr (is_each<Rule>) {
      std::apply([&](const auto&... rules) { fill_field(name, out, rules...); }, rule.rules);
    } else {
      fill_by_each(name, out, more...);
    }
  }

  template <class... Rules>
  std::string make_text(std::string_view name, const Rules&... rules) {
    std::string text;
    if constexpr (has_rule<rules::Formed, Rules...>) {
      text = find_rule<rules::Formed>(rules...).example;
    } else if constexpr (has_rule<rules::Pattern, Rules...>) {
      text = find_rule<rules::Pattern>(rules...).example;
    } else if (name.ends_with("Arn")) {
      text = maker_.arn();
    } else if constexpr (has_rule<rules::NamePattern, Rules...> || has_rule<rules::ExistingTable, Rules...> ||
                         has_rule<rules::TableNameOrArn, Rules...>) {
      text = maker_.name();
    } else {
      text = maker_.text();
    }
    if constexpr (has_rule<rules::Length, Rules...> && !has_rule<rules::Formed, Rules...>) {
      const size_t min = find_rule<rules::Length>(rules...).min;
      if (min > 1) text.append(min, 'a');
    }
    return text;
  }

  template <class... Rules>
  int64_t make_integer(const Rules&... rules) {
    if constexpr (has_rule<rules::Range, Rules...>) {
      const rules::Range range = find_rule<rules::Range>(rules...);
      const int64_t least = std::max<int64_t>(range.min, 1);
      return std::min(range.max, least + static_cast<int64_t>(maker_.below(100)));
    } else {
      return maker_.units();
    }
  }

  Maker& maker_;
  T& out_;
  size_t alternatives_ = 0;
};

template <class Members, class Maker, class T>
void fill_shape(Maker& maker, T& out) {
  ShapeFiller<Maker, T> filler(maker, out);
  Members::members(filler);
  if constexpr (requires { maker.adjust(out); }) maker.adjust(out);
}

}  // namespace trestle
