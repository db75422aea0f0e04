// The vocabulary of the design language: which names each kind of object may have, with their shapes and meaning.
//
// The reader rejects every other name; the JSON Schema for editors (designs/design.schema.json) is generated from the
// same table, so the two cannot differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trestle::design {

struct Word {
  std::string_view name;
  // One or several of, separated by |: text, int, bool, list (of text), map (of text), any, object:X, map:X, list:X.
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
// The kind must exist.
const ObjectKind& object_kind(std::string_view name);

// What a step, a write or an operation does is said by one of its words (`put`), which decides what else it may say.
struct Verb {
  std::string_view name;
  std::vector<std::string_view> takes;  // words of a step, apart from the verb
};
// In order: the first of them that an object has is its verb.
const std::vector<Verb>& verbs();

// The JSON Schema (2020-12) of a design file.
std::string design_schema_json();

}  // namespace trestle::design
