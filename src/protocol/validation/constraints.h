// DynamoDB's member constraints: lengths, ranges, patterns and enumerations that the API's model declares. All members
// are checked, and up to ten violations are reported together, in the order of the checks:
//
//   Constraints constraints;
//   constraints.not_null(table_name.has_value(), "tableName");
//   constraints.table_name(table_name, "tableName");
//   constraints.one_of(billing_mode_text, "billingMode", kBillingModes, request.billing_mode);
//   TRY(constraints.check());     // "2 validation errors detected: Value 'x' at 'tableName' failed to satisfy ..."
//
// Messages are formatted only for violations. An absent optional violates only not_null.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/shapes/choice.h"

namespace trestle {

// The path of a member: "tableName", or "keySchema.1.member.keyType" for
//   MemberPath keys{nullptr, "keySchema"};
//   MemberPath element{&keys, "member", 1};
//   MemberPath type{&element, "keyType"};
// `index` counts from 1; `map_key` is used instead of it inside a map.
struct MemberPath {
  const MemberPath* parent = nullptr;
  std::string_view name;
  size_t index = 0;
  std::string_view map_key = {};

  MemberPath(const MemberPath* in, std::string_view member, size_t at = 0) : parent(in), name(member), index(at) {}
  MemberPath(const MemberPath* in, std::string_view member, std::string_view of_key)
      : parent(in), name(member), map_key(of_key) {}
  MemberPath(std::string_view member) : name(member) {}  // NOLINT: a plain name is a path
  MemberPath(const char* member) : name(member) {}       // NOLINT
  std::string text() const;
};

// "Member must have length greater than or equal to 1", and "less than". `what` is "length" or "value".
std::string member_at_least(int64_t min, std::string_view what);
std::string member_at_most(int64_t max, std::string_view what);

class Constraints {
 public:
  void not_null(bool present, const MemberPath& member) {
    if (!present) [[unlikely]]
      violated(member, std::nullopt, "Member must not be null");
  }

  // Lengths of strings are in characters.
  void length_at_least(std::optional<std::string_view> text, const MemberPath& member, size_t min);
  void length_at_most(std::optional<std::string_view> text, const MemberPath& member, size_t max);
  // For a list or map. `shown` returns DynamoDB's rendering; it is called only for a violation.
  template <class Shown>
  void count_at_least(size_t count, const MemberPath& member, size_t min, Shown shown) {
    if (count >= min) [[likely]]
      return;
    violated(member, shown(), member_at_least(static_cast<int64_t>(min), "length"));
  }
  template <class Shown>
  void count_at_most(size_t count, const MemberPath& member, size_t max, Shown shown) {
    if (count <= max) [[likely]]
      return;
    violated(member, shown(), member_at_most(static_cast<int64_t>(max), "length"));
  }

  void value_at_least(std::optional<int64_t> value, const MemberPath& member, int64_t min);
  void value_at_most(std::optional<int64_t> value, const MemberPath& member, int64_t max);

  // Names of tables and indexes match [a-zA-Z0-9_.-]+.
  void name_pattern(std::optional<std::string_view> text, const MemberPath& member);
  // A table's name or ARN, as all operations except CreateTable accept it.
  void table_name_or_arn(std::optional<std::string_view> text, const MemberPath& member);
  // An index name: 3 to 255 characters.
  void index_name(std::optional<std::string_view> text, const MemberPath& member);

  // Sets `out` if the text is one of the choices.
  template <class E, size_t N, class Out>
  void one_of(std::optional<std::string_view> text, const MemberPath& member, const Choice<E> (&choices)[N], Out& out) {
    if (!text) return;
    for (const auto& choice : choices) {
      if (choice.name == *text) {
        out = choice.value;
        return;
      }
    }
    std::string_view names[N];
    for (size_t i = 0; i < N; ++i) names[i] = choices[i].name;
    not_one_of(*text, member, names);
  }

  // "Value 'value' at 'member' failed to satisfy constraint: constraint"; "Value null at ..." without a value.
  void violated(const MemberPath& member, std::optional<std::string_view> value, std::string_view constraint);
  // Adds a violation with its own message.
  void violated_as(std::string message);
  // Adds the violation of a list with too many elements, without the list.
  void too_many(std::string_view member, size_t max) {
    violated_as(std::string("Value at '").append(member).append("' failed to satisfy constraint: ") +
                member_at_most(static_cast<int64_t>(max), "length"));
  }

  bool any() const { return !violations_.empty(); }
  size_t count() const { return violations_.size(); }
  // "N validation error(s) detected: ...; ..." if anything was violated.
  Result<void> check() const {
    if (violations_.empty()) [[likely]]
      return {};
    return refuse();
  }

 private:
  void not_one_of(std::string_view text, const MemberPath& member, std::span<const std::string_view> names);
  Result<void> refuse() const;

  std::vector<std::string> violations_;
};

// "[ALL_NEW, NONE]": the names of an enumeration as DynamoDB lists them.
std::string enum_value_set(std::span<const std::string_view> names);

}  // namespace trestle
