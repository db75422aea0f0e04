// The declaration of a structure of the API: the list of its members, each with its name on the wire, its field and
// its rules. The JSON readers and writers of both directions, DynamoDB's member constraints and the random values of
// tests are derived from it (protocol/shapes).
//
//   template <>
//   struct Shape<CreateBackupRequest> : ShapeRules {
//     static void members(auto& of) {
//       of.member("BackupName", &CreateBackupRequest::backup_name, required, name_pattern, name_length);
//       of.member("TableName", &CreateBackupRequest::table_name, table_name_needed, existing_table);
//     }
//   };
//
// The members of a response are written in the order of the list. The constraints of a request are checked in the order
// of the list, and the rules of a member from left to right, so the list of a request follows the order of DynamoDB's
// messages. A std::optional field is omitted when absent.
//
// A list may also contain
//   of.structure("Projection", [](auto& in) { ... }, rules...)   fields of this struct that are a structure on the wire
//   of.inlined(&BackupSummary::details)                          a struct whose members belong to this structure; with
//                                                                as<Members>, only those of them
//   of.alternative("Delete", &IndexUpdate::kind, Kind::kDelete, &IndexUpdate::index, rules...)
//                                                                a member that is present if the tag has that value
//   of.alternative("Put", &TransactWrite::kind, Kind::kPut, [](auto& in) { ... }, rules...)
//                                                                the same for a structure of this struct's fields
//   of.constant("DestinationType", "S3")                         a text or bool that is always written, never read
//   of.unused("AutoScalingDisabled", bool(), rules...)           validated in requests like a member of that type and
//                                                                then ignored: the model does not need it
//
// A structure that is read from requests also has `static constexpr std::string_view kType`, its name in DynamoDB's
// messages. `static constexpr bool kEmptyBody = true` marks a response without a body.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "model/limits.h"
#include "model/shapes/choice.h"

namespace trestle {

template <class T>
struct Shape;

template <class T>
concept Shaped = requires { sizeof(Shape<T>); };

// The type of an unused member that may be any JSON.
struct AnyJson {};

namespace rules {

// ---- The form of a member.

// One word of an enumeration. Other words are violations, unless `constrained` is false: then another check rejects
// them.
template <class E, size_t N>
struct OneOf {
  const Choice<E> (&choices)[N];
  bool constrained = true;
};

// An integer that DynamoDB's messages call Integer. They call all others Long.
struct Integer {};

// On the wire seconds since 1970, with or without a fraction; in the field milliseconds.
struct Timestamp {};

// Omitted if it has its default value, is an empty text or list, or is a structure without members.
struct OmitDefault {};

// The name of a structure in DynamoDB's messages, if it is neither its member's nor its shape's name.
struct TypeName {
  std::string_view name;
};

// A structure that is written as a list with this single element.
struct InList {};

// A structure with the members of Other instead of those of its type's shape.
template <class Other>
struct As {
  using Members = Other;
};

// Each element of a list is a structure with this single member: [{"RegionName": "us-east-1"}]. If the element is an
// absent std::optional, the structure is empty.
struct WrappedIn {
  std::string_view type;
  std::string_view member;
};

// A list that is a map on the wire, keyed by a field of each element. The map's values are the element's members or
// another field.
template <class Element, class Field = void>
struct KeyedBy {
  std::string Element::* key;
  Field Element::* value;
  auto& mapped(auto& element) const { return element.*value; }
};
template <class Element>
struct KeyedBy<Element> {
  std::string Element::* key;
  auto& mapped(auto& element) const { return element; }
};

// ---- Checks made before the constraints, each with its own error message.

// The member must be present.
struct Needed {
  std::string_view refusal;
};

// The text must have a certain form if it is present. `example` has that form.
struct Formed {
  bool (*has_form)(std::string_view);
  std::string_view refusal;
  std::string_view example;
};

// ---- Constraints, whose violations are reported together (protocol/validation/constraints.h).

struct Required {};

// The length of a string in characters.
struct Length {
  size_t min = 0;
  size_t max = SIZE_MAX;
};

// The number of elements of a list.
struct Count {
  size_t min = 0;
  size_t max = SIZE_MAX;
};

// The range of an integer.
struct Range {
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
};

// [a-zA-Z0-9_.-]+
struct NamePattern {};

// The name or ARN of an existing table. Operations on tables (ExistingTable) and operations on items (TableNameOrArn)
// have different constraints.
struct ExistingTable {};
struct TableNameOrArn {};

// Any other pattern, and a text that matches it.
struct Pattern {
  bool (*matches)(std::string_view);
  std::string_view expression;
  std::string_view example;
};

// Constraints on each text of a list.
template <class... Rules>
struct Each {
  std::tuple<Rules...> rules;
};

}  // namespace rules

// The rules, under the names used in declarations.
struct ShapeRules {
  template <class E, size_t N>
  static constexpr rules::OneOf<E, N> one_of(const Choice<E> (&choices)[N]) {
    return {choices};
  }
  // An enumeration whose unknown words are rejected by a separate check.
  template <class E, size_t N>
  static constexpr rules::OneOf<E, N> unconstrained_one_of(const Choice<E> (&choices)[N]) {
    return {choices, false};
  }
  static constexpr rules::Integer integer{};
  static constexpr rules::Timestamp timestamp{};
  static constexpr rules::OmitDefault omit_default{};
  static constexpr rules::TypeName type(std::string_view name) { return {name}; }
  static constexpr rules::InList in_list{};
  template <class Other>
  static constexpr rules::As<Other> as{};
  static constexpr rules::WrappedIn wrapped_in(std::string_view type, std::string_view member) {
    return {type, member};
  }
  template <class Element>
  static constexpr rules::KeyedBy<Element> keyed_by(std::string Element::* key) {
    return {key};
  }
  template <class Element, class Field>
  static constexpr rules::KeyedBy<Element, Field> keyed_by(std::string Element::* key, Field Element::* value) {
    return {key, value};
  }

  static constexpr rules::Needed needed(std::string_view refusal) { return {refusal}; }
  static constexpr rules::Needed table_name_needed{
      "The parameter 'TableName' is required but was not present in the request"};
  // For names that DynamoDB checks before the constraints, with a message of their own.
  static constexpr bool is_of_name_length(std::string_view name) {
    return name.size() >= kNameLengthMin && name.size() <= kNameLengthMax;
  }
  static constexpr rules::Formed table_name_length{
      is_of_name_length, "TableName must be at least 3 characters long and at most 255 characters long", "music"};
  static constexpr rules::Formed index_name_length{
      is_of_name_length, "IndexName must be at least 3 characters long and at most 255 characters long", "by-genre"};
  static constexpr rules::Formed formed(bool (*has_form)(std::string_view), std::string_view refusal,
                                        std::string_view example) {
    return {has_form, refusal, example};
  }

  static constexpr rules::Required required{};
  static constexpr rules::Length length(size_t min, size_t max) { return {min, max}; }
  static constexpr rules::Length length_at_most(size_t max) { return {0, max}; }
  static constexpr rules::Length name_length{kNameLengthMin, kNameLengthMax};
  static constexpr rules::Length arn_length{kArnLengthMin, kArnLengthMax};
  static constexpr rules::Count count(size_t min, size_t max = SIZE_MAX) { return {min, max}; }
  static constexpr rules::Range range(int64_t min, int64_t max) { return {min, max}; }
  static constexpr rules::Range at_least(int64_t min) { return {.min = min}; }
  static constexpr rules::Range at_most(int64_t max) { return {.max = max}; }
  static constexpr rules::NamePattern name_pattern{};
  static constexpr rules::ExistingTable existing_table{};
  static constexpr rules::TableNameOrArn table_name_or_arn{};
  static constexpr rules::Pattern pattern(bool (*matches)(std::string_view), std::string_view expression,
                                          std::string_view example) {
    return {matches, expression, example};
  }
  template <class... Rules>
  static constexpr rules::Each<Rules...> each(Rules... rules) {
    return {{rules...}};
  }
};

}  // namespace trestle
