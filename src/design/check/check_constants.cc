// T108: a constant in a key where the value of a changing field belongs.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/ascii.h"
#include "design/check/check_impl.h"

namespace trestle::design {
namespace {

// A word in a constant part of a template, with its context.
struct ConstantWord {
  std::string text;    // lower case
  std::string before;  // the preceding word in the same constant part; empty if there is none
  const TemplatePart* in = nullptr;
  bool labels = false;  // a delimiter follows, so the word labels the field after it, as in `MEMBER#{user}`
};

std::vector<ConstantWord> constant_words(const Template& key) {
  std::vector<ConstantWord> words;
  for (const TemplatePart& part : key.parts) {
    if (!part.is_literal()) continue;
    std::string word, before;
    for (size_t i = 0; i <= part.literal.size(); ++i) {
      const char c = i < part.literal.size() ? part.literal[i] : '\0';
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
        word.push_back(c);
      } else if (!word.empty()) {
        const bool labels = i < part.literal.size() && (i + 1 == part.literal.size());
        words.push_back({.text = lower(word), .before = before, .in = &part, .labels = labels});
        before = lower(std::exchange(word, {}));
      }
    }
  }
  return words;
}

// Whether the word is a value of the field rather than a label for a kind of item. `STATUS#pending` and a sort key
// `ACTIVE` are values. `MEMBER#{user}` next to `role: enum(owner, member)` is a label, and so is the entity's own name.
bool is_frozen_value(const Occupant& occupant, const Field& field, const ConstantWord& word) {
  if (word.before == lower(field.name)) return true;
  const Entity& entity = *occupant.entity;
  if (occupant.entry == nullptr || lower(entity.name).starts_with(word.text)) return false;
  const bool has_flow =
      std::any_of(entity.flows.begin(), entity.flows.end(), [&](const Flow& flow) { return flow.field == field.name; });
  const bool is_state = has_flow || lower(field.name).find("stat") != std::string::npos;
  return is_state || !word.labels;
}

// The known values of the field: those of its enum type, or the constants that operations set a status string to.
std::vector<std::string> known_values(const CheckContext& context, const Entity& entity, const Field& field) {
  if (field.type.base == BaseType::kEnum) {
    return field.type.values.size() < 2 ? std::vector<std::string>() : field.type.values;
  }
  std::vector<std::string> values;
  if (field.type.base != BaseType::kString || lower(field.name).find("stat") == std::string::npos) return values;
  for (const auto& entity_write : context.writes_to(entity.name)) {
    for (const Binding& binding : entity_write.write->set) {
      if (binding.field == field.name && binding.value.is(Expression::Kind::kText))
        values.push_back(binding.value.text);
    }
  }
  return values;
}

// "STATUS#pending" where the entity has a mutable field that can be `pending`.
void frozen_literals(const CheckContext& context, const Occupant& occupant, Findings& findings) {
  const Entity& entity = *occupant.entity;
  if (occupant.guard != nullptr) return;
  for (const Template* key : occupant.key) {
    for (const ConstantWord& word : constant_words(*key)) {
      for (const Field& field : entity.fields) {
        if (field.immutable || entity.in_key(field.name)) continue;
        const bool follows = std::any_of(occupant.key.begin(), occupant.key.end(),
                                         [&](const Template* t) { return t->uses(field.name); }) ||
                             (occupant.entry != nullptr && occupant.entry->condition &&
                              names_field(*occupant.entry->condition, field.name));
        if (follows) continue;
        for (const std::string& value : known_values(context, entity, field)) {
          if (word.text != lower(value) || !is_frozen_value(occupant, field, word)) continue;
          findings.add("T108", Severity::kError, key->place,
                       fmt::format("the key of {} contains the constant `{}`, which is a value of `{}`. When the field "
                                   "changes, the key does not, so the item is still found as {}",
                                   occupant.name(), word.in->literal, field.name, value),
                       occupant.entry != nullptr
                           ? fmt::format("write {{{}}}, or make the entry sparse with `if: {} = {}`", field.name,
                                         field.name, value)
                           : fmt::format("remove it from the key, and index {{{}}}", field.name));
        }
      }
    }
  }
}

}  // namespace

void check_constants(const CheckContext& context, Findings& findings) {
  for (const KeySpace& space : context.spaces) {
    for (const Occupant& occupant : space.occupants) frozen_literals(context, occupant, findings);
  }
}

}  // namespace trestle::design
