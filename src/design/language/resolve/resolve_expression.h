// Names in expressions: what each means at its place in the file. A word that is a value of an enum becomes that value,
// and a name that means nothing is a mistake (T004). Internal to the resolver.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "design/language/design.h"
#include "design/language/finding.h"

namespace trestle::design {

// The meaning of names at one place of the file.
struct NameScope {
  const Design& design;
  const Entity* entity = nullptr;  // bare names are its fields
  const Entity* image = nullptr;   // that `old`, `new`, `item` and `items` are of, unless `entity`
  std::map<std::string, FieldType, std::less<>> values;     // $name
  std::map<std::string, const Entity*, std::less<>> items;  // $name, an item of that entity
  std::set<std::string, std::less<>> others;                // $name of something else
  // In an answer with `each`: a bare name is a field of every member that has it.
  std::vector<const std::vector<Field>*> elements = {};
  bool lenient = false;    // bare names may be anything: members of which nothing is known
  bool any_input = false;  // so may $name: the rule of a role, which is resolved again in each operation
};

// The type of an expression; nothing: it is not known.
std::optional<FieldType> type_of(const Expression& e, const NameScope& scope);
std::optional<FieldType> element_type(const std::optional<FieldType>& type);
// What the members of a list have as fields; nothing: that is not known.
std::vector<const std::vector<Field>*> fields_of_members(const Expression& list, const NameScope& scope);

class NameResolver {
 public:
  NameResolver(const NameScope& scope, Findings& findings) : scope_(scope), findings_(findings) {}

  // `wanted`: the type of the field that receives the value.
  void resolve(Expression& e, const FieldType* wanted = nullptr);

 private:
  static bool is_value(const Expression& e, const FieldType& type);
  // Resolves a bare word, or text, to a value of an enum. A word that is a field, too, is the value.
  bool become_value(Expression& e, const FieldType& type);
  void comparison(Expression& e);
  void name(Expression& e);
  // A field of the members of a list.
  void member_name(const Expression& e);
  void input(Expression& e);
  void member(Expression& e);
  void no_field(const Expression& e, std::string_view owner, const std::vector<Field>& fields);
  // A word among the arguments is a value of the enum that it is compared with, or that receives the result.
  void call(Expression& e, const FieldType* wanted);

  const NameScope& scope_;
  Findings& findings_;
};

}  // namespace trestle::design
