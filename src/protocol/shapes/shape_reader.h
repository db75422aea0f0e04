// Reads the JSON of a structure into the fields that its shape declares (model/shapes/shape.h): requests on the server,
// responses on the client.
//
//   TRY(read_shape(input, request));
//
// Members are read in document order, so the first member with the wrong JSON type is the one reported, as in DynamoDB.
// Members that the shape does not list are ignored. Absent members keep their value, and so do enumerations with an
// unknown value: the server rejects those by its constraints (shape_constraints.h), and the client accepts them.
//
// A type without a shape has an overload of read_value(JsonElement, T&, JsonPlace).
#pragma once

#include "protocol/json/json_input.h"
#include "protocol/shapes/shape_types.h"

namespace trestle {

// Reads seconds since 1970, with or without a fraction, as milliseconds.
Result<int64_t> read_timestamp_ms(JsonElement json);

template <class T, class Members = Shape<T>>
Result<void> read_shape(JsonInput input, T& out);

// Reads a value of any type that a member may have. `place` is the position of a structure in the request.
template <class T, class... Rules>
Result<void> read_field(JsonElement json, T& out, JsonPlace place, const Rules&... rules) {
  if constexpr (is_map<T, Rules...>) {
    TRY_INTO(const JsonInput map, json_map(json, "java.lang.Object"));
    out.clear();
    for (const JsonMember member : map) {
      auto [name, value] = map_member(out.emplace_back(), rules...);
      name = member.name;
      TRY(read_field(member.value, value, JsonPlace::kElement));
    }
    return {};
  } else if constexpr (is_list<T>) {
    TRY_INTO(const JsonArray array, json_list(json));
    out.clear();
    for (const JsonElement element : array) {
      if (element.is_null()) {
        if constexpr (is_optional<typename T::value_type>) out.emplace_back();
        continue;
      }
      if constexpr (has_choices<Rules...>) {
        TRY_INTO(const std::string_view text, json_string(element));
        if (const auto found = find_choice(find_choices(rules...), text)) out.push_back(*found);
      } else if constexpr (has_rule<rules::WrappedIn, Rules...>) {
        const rules::WrappedIn& wrapped = find_rule<rules::WrappedIn>(rules...);
        TRY_INTO(const JsonInput structure, json_structure(element, wrapped.type, JsonPlace::kElement));
        if constexpr (is_optional<typename T::value_type>) out.emplace_back();
        for (const JsonMember member : structure) {
          if (member.name != wrapped.member) continue;
          if constexpr (!is_optional<typename T::value_type>) out.emplace_back();
          TRY(read_field(member.value, out.back(), JsonPlace::kMember));
        }
      } else {
        TRY(read_field(element, out.emplace_back(), JsonPlace::kElement, rules...));
      }
    }
    return {};
  } else if constexpr (is_optional<T> && !has_choices<Rules...>) {
    return read_field(json, out.emplace(), place, rules...);
  } else if constexpr (has_choices<Rules...>) {
    if constexpr (is_optional<T>) {
      if constexpr (is_list<typename T::value_type>) return read_field(json, out.emplace(), place, rules...);
    }
    TRY_INTO(const std::string_view text, json_string(json));
    if (const auto found = find_choice(find_choices(rules...), text)) out = *found;
    return {};
  } else if constexpr (has_rule<rules::Timestamp, Rules...>) {
    TRY_INTO(out, read_timestamp_ms(json));
    return {};
  } else if constexpr (std::is_same_v<T, std::string>) {
    TRY_INTO(out, json_string(json));
    return {};
  } else if constexpr (std::is_same_v<T, bool>) {
    TRY_INTO(out, json_boolean(json));
    return {};
  } else if constexpr (std::is_same_v<T, int64_t>) {
    TRY_INTO(out, json_integer(json, has_rule<rules::Integer, Rules...> ? "Integer" : "Long"));
    return {};
  } else if constexpr (std::is_same_v<T, double>) {
    if (json.get_double().get(out) != simdjson::SUCCESS) return serialization_failure("not a number");
    return {};
  } else if constexpr (HasShape<T, Rules...>) {
    using Members = ShapeOf<T, Rules...>;
    TRY_INTO(const JsonInput input, json_structure(json, structure_type<Members>(rules...), place));
    return read_shape<T, Members>(input, out);
  } else if constexpr (std::is_same_v<T, AnyJson>) {
    return {};
  } else {
    return read_value(json, out, place);
  }
}

// Finds the member of a shape that a JSON member names, and reads it.
template <class T>
class ShapeMemberReader {
 public:
  ShapeMemberReader(JsonMember json, T& out) : json_(json), out_(out) {}

  template <class Owner, class Field, class... Rules>
  void member(std::string_view name, Field Owner::* field, const Rules&... rules) {
    if (found_ || json_.name != name) return;
    found_ = true;
    result_ = read_field(json_.value, out_.*field, JsonPlace::kMember, rules...);
  }
  template <class Members, class... Rules>
  void structure(std::string_view name, Members members, const Rules&... rules) {
    if (found_ || json_.name != name) return;
    found_ = true;
    std::string_view type = name;
    if constexpr (has_rule<rules::TypeName, Rules...>) type = find_rule<rules::TypeName>(rules...).name;
    if constexpr (has_rule<rules::InList, Rules...>) {
      result_ = read_elements(type, members);
    } else {
      result_ = read_structure(json_.value, type, JsonPlace::kMember, members);
    }
  }
  template <class T2, class... Rules>
  void unused(std::string_view name, T2 value, const Rules&... rules) {
    if (found_ || json_.name != name) return;
    found_ = true;
    result_ = read_field(json_.value, value, JsonPlace::kMember, rules...);
  }
  template <class Owner, class Field, class... Rules>
  void inlined(Field Owner::* field, const Rules&...) {
    if (found_) return;
    ShapeMemberReader<Field> inner(json_, out_.*field);
    ShapeOf<Field, Rules...>::members(inner);
    found_ = inner.found();
    result_ = std::move(inner).result();
  }
  template <class Owner, class Tag, class Field, class... Rules>
  void alternative(std::string_view name, Tag Owner::* tag, Tag value, Field Owner::* field, const Rules&... rules) {
    if (found_ || json_.name != name) return;
    out_.*tag = value;
    member(name, field, rules...);
  }
  template <class Owner, class Tag, class Members, class... Rules>
  void alternative(std::string_view name, Tag Owner::* tag, Tag value, Members members, const Rules&... rules) {
    if (found_ || json_.name != name) return;
    out_.*tag = value;
    structure(name, members, rules...);
  }
  void constant(std::string_view, auto) {}

  bool found() const { return found_; }
  Result<void> result() && { return std::move(result_); }

 private:
  template <class Members>
  Result<void> read_elements(std::string_view type, Members members) {
    TRY_INTO(const JsonArray array, json_list(json_.value));
    for (const JsonElement element : array) TRY(read_structure(element, type, JsonPlace::kElement, members));
    return {};
  }
  template <class Members>
  Result<void> read_structure(JsonElement value, std::string_view type, JsonPlace place, Members members) {
    TRY_INTO(const JsonInput input, json_structure(value, type, place));
    for (const JsonMember json : input) {
      ShapeMemberReader inner(json, out_);
      members(inner);
      TRY(std::move(inner).result());
    }
    return {};
  }

  JsonMember json_;
  T& out_;
  bool found_ = false;
  Result<void> result_;
};

// Reads one member of a structure.
template <class T, class Members = Shape<T>>
Result<void> read_member(JsonMember json, T& out) {
  ShapeMemberReader<T> reader(json, out);
  Members::members(reader);
  return std::move(reader).result();
}

template <class T, class Members>
Result<void> read_shape(JsonInput input, T& out) {
  for (const JsonMember json : input) TRY((read_member<T, Members>(json, out)));
  return {};
}

}  // namespace trestle
