// Reads the members of responses without a shape, on the client.
//
//   TRY(take_members(input, into("Attributes", response.attributes), into("Count", response.count)));
//
// Each into() names a member and its destination; other members are ignored. A member that needs more than a type
// conversion takes a function: into("Table", [&](JsonElement json) -> Result<void> {...}).
#pragma once

#include <string_view>
#include <type_traits>

#include "protocol/json/json_input.h"
#include "protocol/shapes/particular_values.h"
#include "protocol/shapes/shape_reader.h"

namespace trestle {

template <class Take>
struct MemberTaker {
  std::string_view name;
  Take take;
};
// `rules`: the member's rules, as a shape would declare them.
template <class T, class... Rules>
  requires(!std::is_invocable_r_v<Result<void>, T&, JsonElement>)
auto into(std::string_view name, T& out, const Rules&... rules) {
  auto take_it = [&out, rules...](JsonElement json) { return read_field(json, out, JsonPlace::kMember, rules...); };
  return MemberTaker<decltype(take_it)>{name, take_it};
}
template <class Take>
  requires std::is_invocable_r_v<Result<void>, Take&, JsonElement>
auto into(std::string_view name, Take take_it) {
  return MemberTaker<Take>{name, take_it};
}
// An enumeration. Unknown values leave `out` unchanged, since endpoints may have more of them.
template <class E, size_t N, class Out>
auto into(std::string_view name, Out& out, const Choice<E> (&choices)[N]) {
  return into(name, out, rules::OneOf<E, N>{choices});
}
// A timestamp in seconds since 1970, with or without a fraction, as milliseconds.
template <class Out>
auto into_timestamp(std::string_view name, Out& ms) {
  return into(name, ms, rules::Timestamp());
}

template <class... Takers>
Result<void> take_members(JsonInput input, Takers... takers) {
  for (const JsonMember member : input) {
    Result<void> result;
    (void)((member.name == takers.name && (result = takers.take(member.value), true)) || ...);
    TRY(result);
  }
  return {};
}
template <class... Takers>
Result<void> take_members(JsonElement json, Takers... takers) {
  TRY_INTO(const JsonInput input, json_structure(json, "Structure", JsonPlace::kMember));
  return take_members(input, takers...);
}

}  // namespace trestle
