// Checks the JSON of a request against the rules of its shape (model/shapes/shape.h), in DynamoDB's order: first the
// checks with their own error message, then the constraints, whose violations are reported together.
//
//   TRY(check_shape_first<CreateBackupRequest>(input));
//   TRY(check_shape_constraints<CreateBackupRequest>(input));
//
// Precondition: the JSON has been read (shape_reader.h), so every member has the right JSON type.
#pragma once

#include "protocol/json/json_input.h"
#include "protocol/shapes/shape_types.h"
#include "protocol/validation/constraints.h"

namespace trestle {

// The member with that name; of several, the last one, as in the readers.
std::optional<JsonElement> find_member(JsonInput input, std::string_view name);
// A member's name in constraint messages: "TableName" becomes "tableName".
std::string constraint_name(std::string_view name);

void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::Required, Constraints& constraints);
void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::Length rule, Constraints& constraints);
void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::Range rule, Constraints& constraints);
void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::NamePattern, Constraints& constraints);
void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::ExistingTable, Constraints& constraints);
void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::TableNameOrArn,
               Constraints& constraints);
void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::Pattern rule, Constraints& constraints);
inline void constrain(std::optional<JsonElement>, const MemberPath&, rules::Integer, Constraints&) {}
inline void constrain(std::optional<JsonElement>, const MemberPath&, rules::Timestamp, Constraints&) {}
inline void constrain(std::optional<JsonElement>, const MemberPath&, rules::OmitDefault, Constraints&) {}
inline void constrain(std::optional<JsonElement>, const MemberPath&, rules::TypeName, Constraints&) {}
inline void constrain(std::optional<JsonElement>, const MemberPath&, rules::WrappedIn, Constraints&) {}
inline void constrain(std::optional<JsonElement>, const MemberPath&, rules::InList, Constraints&) {}
template <class Other>
void constrain(std::optional<JsonElement>, const MemberPath&, rules::As<Other>, Constraints&) {}
inline void constrain(std::optional<JsonElement>, const MemberPath&, rules::Needed, Constraints&) {}
inline void constrain(std::optional<JsonElement>, const MemberPath&, rules::Formed, Constraints&) {}

// Calls check(element, path) for each element of a list that is not null.
template <class Check>
void for_each_element(JsonElement json, const MemberPath& path, Check check) {
  size_t index = 0;
  const JsonArray array = json.get_array().value_unsafe();
  for (const JsonElement element : array) {
    if (!element.is_null()) check(element, MemberPath{&path, "member", ++index});
  }
}

template <class E, size_t N>
void constrain(std::optional<JsonElement> json, const MemberPath& path, rules::OneOf<E, N> rule,
               Constraints& constraints) {
  if (!json || !rule.constrained) return;
  E found{};
  const auto constrain_word = [&](JsonElement word, const MemberPath& word_path) {
    constraints.one_of(word.get_string().value_unsafe(), word_path, rule.choices, found);
  };
  if (json->is_array()) return for_each_element(*json, path, constrain_word);
  constrain_word(*json, path);
}

template <class... Rules>
void constrain(std::optional<JsonElement> json, const MemberPath& path, const rules::Each<Rules...>& each,
               Constraints& constraints) {
  if (!json) return;
  for_each_element(*json, path, [&](JsonElement element, const MemberPath& element_path) {
    std::apply([&](const Rules&... rules) { (constrain(element, element_path, rules, constraints), ...); }, each.rules);
  });
}

// Prints a list of structures as DynamoDB does: "[KeySchemaElement(attributeName=pk, keyType=HASH)]".
class ShapePrinter {
 public:
  ShapePrinter(JsonInput input, std::string& out) : input_(input), out_(out) {}

  template <class Owner, class Field, class... Rules>
  void member(std::string_view name, Field Owner::*, const Rules&...) {
    print(name);
  }
  template <class Field, class... Rules>
  void unused(std::string_view name, Field, const Rules&...) {
    print(name);
  }
  template <class Owner, class Tag, class Field, class... Rules>
  void alternative(std::string_view name, Tag Owner::*, Tag, Field Owner::*, const Rules&...) {
    print(name);
  }
  template <class Members, class... Rules>
  void structure(std::string_view name, Members, const Rules&...) {
    print(name);
  }
  template <class Owner, class Field>
  void inlined(Field Owner::*) {
    Shape<Field>::members(*this);
  }
  void constant(std::string_view, auto) {}

 private:
  void print(std::string_view name);

  JsonInput input_;
  std::string& out_;
};

template <class Members>
std::string shown_structures(JsonElement json) {
  std::string out = "[";
  const JsonArray array = json.get_array().value_unsafe();
  for (const JsonElement element : array) {
    if (element.is_null()) continue;
    if (out.size() > 1) out.append(", ");
    out.append(structure_type<Members>()).append("(");
    ShapePrinter printer(JsonInput(element.get_object().value_unsafe()), out);
    Members::members(printer);
    out.append(")");
  }
  return out.append("]");
}
std::string shown_texts(JsonElement json);

template <class Element, class... Rules>
void constrain_count(JsonElement json, const MemberPath& path, rules::Count rule, Constraints& constraints) {
  size_t number = 0;
  for_each_element(json, path, [&](JsonElement, const MemberPath&) { ++number; });
  const auto shown = [&] {
    if constexpr (HasShape<Element, Rules...>) {
      return shown_structures<ShapeOf<Element, Rules...>>(json);
    } else {
      return shown_texts(json);
    }
  };
  constraints.count_at_least(number, path, rule.min, shown);
  constraints.count_at_most(number, path, rule.max, shown);
}

class ShapeConstrainer {
 public:
  ShapeConstrainer(JsonInput input, const MemberPath* parent, Constraints& constraints)
      : input_(input), parent_(parent), constraints_(constraints) {}

  template <class Owner, class Field, class... Rules>
  void member(std::string_view name, Field Owner::*, const Rules&... rules) {
    constrain_member<Field>(name, rules...);
  }
  template <class Field, class... Rules>
  void unused(std::string_view name, Field, const Rules&... rules) {
    constrain_member<Field>(name, rules...);
  }
  template <class Members, class... Rules>
  void structure(std::string_view name, Members members, const Rules&... rules) {
    const std::string spelt = constraint_name(name);
    const MemberPath path{parent_, spelt};
    const std::optional<JsonElement> json = find_member(input_, name);
    (constrain(json, path, rules, constraints_), ...);
    if (!json) return;
    ShapeConstrainer inner(JsonInput(json->get_object().value_unsafe()), &path, constraints_);
    members(inner);
  }
  template <class Owner, class Field>
  void inlined(Field Owner::*) {
    Shape<Field>::members(*this);
  }
  template <class Owner, class Tag, class Field, class... Rules>
  void alternative(std::string_view name, Tag Owner::*, Tag, Field Owner::*, const Rules&... rules) {
    constrain_member<Field>(name, rules...);
  }
  void constant(std::string_view, auto) {}

 private:
  template <class Field, class... Rules>
  void constrain_member(std::string_view name, const Rules&... rules) {
    const std::string spelt = constraint_name(name);
    const MemberPath path{parent_, spelt};
    const std::optional<JsonElement> json = find_member(input_, name);
    (constrain_by<Field, Rules...>(json, path, rules), ...);
    if (json) constrain_inside<Field, Rules...>(*json, path);
  }
  template <class Field, class... Rules, class Rule>
  void constrain_by(std::optional<JsonElement> json, const MemberPath& path, const Rule& rule) {
    if constexpr (is_optional<Field>) {
      constrain_by<typename Field::value_type, Rules...>(json, path, rule);
    } else if constexpr (std::is_same_v<Rule, rules::Count>) {
      if (json) constrain_count<typename Field::value_type, Rules...>(*json, path, rule, constraints_);
    } else {
      constrain(json, path, rule, constraints_);
    }
  }
  template <class Field, class... Rules>
  void constrain_inside(JsonElement json, const MemberPath& path) {
    if constexpr (is_optional<Field>) {
      constrain_inside<typename Field::value_type, Rules...>(json, path);
    } else if constexpr (is_list<Field> && !is_map<Field>) {
      using Element = typename Field::value_type;
      if constexpr (HasShape<Element, Rules...>) {
        for_each_element(json, path, [&](JsonElement element, const MemberPath& element_path) {
          constrain_inside<Element, Rules...>(element, element_path);
        });
      }
    } else if constexpr (HasShape<Field, Rules...>) {
      ShapeConstrainer inner(JsonInput(json.get_object().value_unsafe()), &path, constraints_);
      ShapeOf<Field, Rules...>::members(inner);
    }
  }

  JsonInput input_;
  const MemberPath* parent_;
  Constraints& constraints_;
};

// The checks that run before any constraint.
class ShapeFirstChecker {
 public:
  explicit ShapeFirstChecker(JsonInput input) : input_(input) {}

  template <class Owner, class Field, class... Rules>
  void member([[maybe_unused]] std::string_view name, Field Owner::*, const Rules&... rules) {
    (check(name, rules), ...);
  }
  template <class Members, class... Rules>
  void structure(std::string_view, Members, const Rules&...) {}
  template <class Field, class... Rules>
  void unused(std::string_view, Field, const Rules&...) {}
  template <class Owner, class Field>
  void inlined(Field Owner::*) {
    Shape<Field>::members(*this);
  }
  template <class Owner, class Tag, class Field, class... Rules>
  void alternative(std::string_view, Tag Owner::*, Tag, Field Owner::*, const Rules&...) {}
  void constant(std::string_view, auto) {}

  Result<void> result() && { return std::move(result_); }

 private:
  template <class Rule>
  void check(std::string_view, const Rule&) {}
  void check(std::string_view name, const rules::Needed& rule);
  void check(std::string_view name, const rules::Formed& rule);

  JsonInput input_;
  Result<void> result_;
};

template <class Request>
Result<void> check_shape_first(JsonInput input) {
  ShapeFirstChecker first(input);
  Shape<Request>::members(first);
  return std::move(first).result();
}

template <class Request>
Result<void> check_shape_constraints(JsonInput input) {
  Constraints constraints;
  ShapeConstrainer constrainer(input, nullptr, constraints);
  Shape<Request>::members(constrainer);
  return constraints.check();
}

}  // namespace trestle
