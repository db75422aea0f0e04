// Writes the fields of a structure as the JSON that its shape declares (model/shapes/shape.h): responses on the server,
// requests on the client.
//
//   write_shape(json, response);           // writes the members, without the braces
//
// A type without a shape has an overload of write_value(JsonOutput&, const T&).
#pragma once

#include "protocol/json/json_output.h"
#include "protocol/shapes/shape_types.h"

namespace trestle {

template <class T, class Members = Shape<T>>
void write_shape(JsonOutput& json, const T& from);

// The field of a Choice<std::string_view> is a std::string.
template <class E, size_t N, class T>
std::string_view choice_name_of(const Choice<E> (&choices)[N], const T& value) {
  return choice_name(choices, static_cast<E>(value));
}

// Writes a member, unless the value is absent.
template <class T, class... Rules>
void write_member(JsonOutput& json, std::string_view name, const T& value, const Rules&... rules);

template <class T, class... Rules>
void write_field(JsonOutput& json, const T& from, const Rules&... rules) {
  if constexpr (is_optional<T>) {
    write_field(json, *from, rules...);
  } else if constexpr (is_map<T, Rules...>) {
    json.begin_object();
    for (const auto& element : from) {
      const auto [name, value] = map_member(element, rules...);
      json.key_escaped(name);
      write_field(json, value);
    }
    json.end_object();
  } else if constexpr (is_list<T>) {
    json.begin_array();
    for (const auto& element : from) {
      if constexpr (has_rule<rules::WrappedIn, Rules...>) {
        json.begin_object();
        write_member(json, find_rule<rules::WrappedIn>(rules...).member, element);
        json.end_object();
      } else {
        write_field(json, element, rules...);
      }
    }
    json.end_array();
  } else if constexpr (has_choices<Rules...>) {
    json.string(choice_name_of(find_choices(rules...), from));
  } else if constexpr (has_rule<rules::Timestamp, Rules...>) {
    json.timestamp_ms(from);
  } else if constexpr (std::is_same_v<T, std::string>) {
    json.string(from);
  } else if constexpr (std::is_same_v<T, bool>) {
    json.boolean(from);
  } else if constexpr (std::is_same_v<T, int64_t>) {
    json.integer(from);
  } else if constexpr (std::is_same_v<T, double>) {
    json.decimal(from);
  } else if constexpr (HasShape<T, Rules...>) {
    json.begin_object();
    write_shape<T, ShapeOf<T, Rules...>>(json, from);
    json.end_object();
  } else {
    write_value(json, from);
  }
}

template <class T, class... Rules>
void write_member(JsonOutput& json, std::string_view name, const T& value, const Rules&... rules) {
  if constexpr (is_optional<T>) {
    if (!value) return;
  }
  json.key(name);
  write_field(json, value, rules...);
}

template <class T>
const T& new_object() {
  static const T object;
  return object;
}

template <class T>
class ShapeWriter {
 public:
  ShapeWriter(JsonOutput& json, const T& from) : json_(json), from_(from) {}

  template <class Owner, class Field, class... Rules>
  void member(std::string_view name, Field Owner::* field, const Rules&... rules) {
    const Field& value = from_.*field;
    if constexpr (has_rule<rules::OmitDefault, Rules...>) {
      if constexpr (requires { value.empty(); }) {
        if (value.empty()) return;
      } else {
        if (value == new_object<Owner>().*field) return;
      }
    }
    write_member(json_, name, value, rules...);
  }
  template <class Members, class... Rules>
  void structure(std::string_view name, Members members, const Rules&...) {
    const size_t before = json_.text().size();
    json_.key(name);
    if constexpr (has_rule<rules::InList, Rules...>) json_.begin_array();
    json_.begin_object();
    const size_t empty = json_.text().size();
    members(*this);
    if constexpr (has_rule<rules::OmitDefault, Rules...>) {
      if (json_.text().size() == empty) return json_.text().resize(before);
    }
    json_.end_object();
    if constexpr (has_rule<rules::InList, Rules...>) json_.end_array();
  }
  template <class Owner, class Field, class... Rules>
  void inlined(Field Owner::* field, const Rules&...) {
    write_shape<Field, ShapeOf<Field, Rules...>>(json_, from_.*field);
  }
  template <class Owner, class Tag, class Field, class... Rules>
  void alternative(std::string_view name, Tag Owner::* tag, Tag value, Field Owner::* field, const Rules&... rules) {
    if (from_.*tag == value) member(name, field, rules...);
  }
  template <class Owner, class Tag, class Members, class... Rules>
  void alternative(std::string_view name, Tag Owner::* tag, Tag value, Members members, const Rules&... rules) {
    if (from_.*tag == value) structure(name, members, rules...);
  }
  void constant(std::string_view name, auto value) { json_.member(name, value); }
  template <class T2, class... Rules>
  void unused(std::string_view, T2, const Rules&...) {}

 private:
  JsonOutput& json_;
  const T& from_;
};

template <class T, class Members>
void write_shape(JsonOutput& json, const T& from) {
  ShapeWriter<T> writer(json, from);
  Members::members(writer);
}

}  // namespace trestle
