// The vocabulary of the design language: the words that each kind of object may contain, with their shapes and
// meanings.
//
// The reader rejects every other word. The JSON Schema for editors (designs/design.schema.json) is generated from the
// same table, so the two cannot differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trestle::design {

struct Word {
  std::string_view name;
  // One or more of these, separated by |: text, int, bool, list (of text), map (of text), any, object:X, map:X, list:X.
  std::string_view shape;
  std::string_view about;
  bool required = false;
};

struct ObjectKind {
  std::string_view name;
  std::string_view about;
  std::vector<Word> words;
};

const std::vector<ObjectKind>& vocabulary();
// Precondition: the kind exists.
const ObjectKind& object_kind(std::string_view name);

// The word of a step, write or operation that determines what it does (`put`), and the words allowed next to it.
struct Verb {
  std::string_view name;
  std::vector<std::string_view> takes;  // other words of a step that the verb allows
};
// In order of precedence: the first verb that an object contains is its verb.
const std::vector<Verb>& verbs();

// The JSON Schema (2020-12) of a design file.
std::string design_schema_json();

}  // namespace trestle::design
