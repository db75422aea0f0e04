// Reads the members of responses, on the client.
//
//   TRY(take_members(input, into("Attributes", response.attributes), into("Count", response.count)));
//
// Each into() names a member and its destination; other members are ignored. A member that needs more than a conversion
// by type takes a function: into("Table", [&](JsonElement json) -> Result<void> {...}).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/parameters.h"
#include "protocol/json/json_input.h"
#include "protocol/validation/constraints.h"

namespace trestle {

Result<void> take(JsonElement json, std::string& out);
Result<void> take(JsonElement json, bool& out);
Result<void> take(JsonElement json, int64_t& out);
Result<void> take(JsonElement json, double& out);
Result<void> take(JsonElement json, Value& out);
Result<void> take(JsonElement json, Item& out);
Result<void> take(JsonElement json, ItemList& out);
Result<void> take(JsonElement json, NameMap& out);
Result<void> take(JsonElement json, ConsumedCapacity& out);
Result<void> take(JsonElement json, ItemCollectionMetrics& out);
template <class T>
Result<void> take(JsonElement json, std::vector<T>& out);
// A JSON object as a list of its members, in order.
template <class T>
Result<void> take(JsonElement json, std::vector<std::pair<std::string, T>>& out);
template <class T>
Result<void> take(JsonElement json, std::optional<T>& out) {
  return take(json, out.emplace());
}

template <class T>
Result<void> take(JsonElement json, std::vector<T>& out) {
  TRY_INTO(const JsonArray array, json_list(json));
  for (const JsonElement element : array) TRY(take(element, out.emplace_back()));
  return {};
}
template <class T>
Result<void> take(JsonElement json, std::vector<std::pair<std::string, T>>& out) {
  TRY_INTO(const JsonInput map, json_map(json, "java.lang.Object"));
  for (const JsonMember member : map) {
    auto& [name, value] = out.emplace_back();
    name = member.name;
    TRY(take(member.value, value));
  }
  return {};
}

template <class Take>
struct MemberTaker {
  std::string_view name;
  Take take;
};
template <class T>
  requires(!std::is_invocable_r_v<Result<void>, T&, JsonElement>)
auto into(std::string_view name, T& out) {
  auto take_it = [&out](JsonElement json) -> Result<void> { return take(json, out); };
  return MemberTaker<decltype(take_it)>{name, take_it};
}
template <class Take>
  requires std::is_invocable_r_v<Result<void>, Take&, JsonElement>
auto into(std::string_view name, Take take_it) {
  return MemberTaker<Take>{name, take_it};
}
// One of an enumeration; what is none of its choices is left as it was, since endpoints have more of them.
template <class E, size_t N, class Out>
auto into(std::string_view name, Out& out, const Choice<E> (&choices)[N]) {
  return into(name, [&out, &choices](JsonElement json) -> Result<void> {
    TRY_INTO(const std::string_view text, json_string(json));
    if (const std::optional<E> found = find_choice(choices, text)) out = *found;
    return {};
  });
}

template <class... Takers>
Result<void> take_members(JsonInput input, Takers... takers) {
  for (const JsonMember member : input) {
    Result<void> taken;
    (void)((member.name == takers.name && (taken = takers.take(member.value), true)) || ...);
    TRY(taken);
  }
  return {};
}
template <class... Takers>
Result<void> take_members(JsonElement json, Takers... takers) {
  TRY_INTO(const JsonInput input, json_structure(json, "Structure", JsonPlace::kMember));
  return take_members(input, takers...);
}

// Seconds since 1970, with or without a fraction.
Result<void> take_timestamp_ms(JsonElement json, int64_t& out);
inline auto into_timestamp(std::string_view name, int64_t& ms) {
  return into(name, [&ms](JsonElement json) { return take_timestamp_ms(json, ms); });
}
inline auto into_timestamp(std::string_view name, std::optional<int64_t>& ms) {
  return into(name, [&ms](JsonElement json) { return take_timestamp_ms(json, ms.emplace()); });
}

}  // namespace trestle
