// Internal to the resolver: resolves names in expressions. A word that is a value of an enum becomes that value, and an
// unknown name is a mistake (T004).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "design/language/design.h"
#include "design/language/finding.h"

namespace trestle::design {

// The names visible at one place of the file.
struct NameScope {
  const Design& design;
  const Entity* entity = nullptr;  // bare names are fields of this entity
  const Entity* image = nullptr;   // the entity of `old`, `new`, `item` and `items`; null: `entity`
  std::map<std::string, FieldType, std::less<>> values;     // $name
  std::map<std::string, const Entity*, std::less<>> items;  // $name, an item of that entity
  std::set<std::string, std::less<>> others;                // $name of unknown type
  // In an answer with `each`: the fields of the members, one list per kind of member. A bare name is a field of any of
  // them.
  std::vector<const std::vector<Field>*> elements = {};
  bool lenient = false;    // any bare name is allowed, because the members' fields are unknown
  bool any_input = false;  // any $name is allowed: the rule of a role is resolved again in each operation
};

// The type of an expression; nothing if it is unknown.
std::optional<FieldType> type_of(const Expression& e, const NameScope& scope);
std::optional<FieldType> element_type(const std::optional<FieldType>& type);
// The fields of a list's members, one list per kind of member; empty if they are unknown.
std::vector<const std::vector<Field>*> fields_of_members(const Expression& list, const NameScope& scope);

class NameResolver {
 public:
  NameResolver(const NameScope& scope, Findings& findings) : scope_(scope), findings_(findings) {}

  // `wanted` is the type of the field that receives the value, if known.
  void resolve(Expression& e, const FieldType* wanted = nullptr);

 private:
  static bool is_value(const Expression& e, const FieldType& type);
  // Converts a bare word or text to a value of an enum type. If a word is both a value and a field, it becomes the
  // value. Returns false if it did not convert.
  bool become_value(Expression& e, const FieldType& type);
  void comparison(Expression& e);
  void name(Expression& e);
  // Resolves a field of list members.
  void member_name(const Expression& e);
  void input(Expression& e);
  void member(Expression& e);
  void no_field(const Expression& e, std::string_view owner, const std::vector<Field>& fields);
  // Arguments can be values of the enum that they are compared with, or of `wanted`, the enum that receives the result.
  void call(Expression& e, const FieldType* wanted);

  const NameScope& scope_;
  Findings& findings_;
};

}  // namespace trestle::design
