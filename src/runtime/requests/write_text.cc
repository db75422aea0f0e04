#include "runtime/requests/write_text.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "runtime/requests/extra_attributes.h"
#include "runtime/requests/request_values.h"

namespace trestle::runtime {

using design::Form;
using design::Piece;
using design::Section;

namespace {

constexpr std::array<std::pair<Section, std::string_view>, 4> kSections = {
    {{Section::kSet, "SET"}, {Section::kRemove, "REMOVE"}, {Section::kAdd, "ADD"}, {Section::kDelete, "DELETE"}}};

struct Clauses {
  std::vector<std::pair<Section, std::string>> updates;
  struct Condition {
    std::string text;
    bool has_or = false;
  };
  std::vector<Condition> conditions;
  NameMap names;
  ValueMap values;

  void add(const PreparedForm& form, Section section, const std::string& suffix) {
    if (!form.text.empty()) updates.emplace_back(section, form.text.with(suffix));
    if (!form.condition.empty()) conditions.push_back({form.condition.with(suffix), form.has_or});
  }
  std::string update() const {
    std::string text;
    for (const auto& [section, word] : kSections) {
      bool first = true;
      for (const auto& [of, clause] : updates) {
        if (of != section) continue;
        if (first && !text.empty()) text += ' ';
        text += first ? fmt::format("{} {}", word, clause) : ", " + clause;
        first = false;
      }
    }
    return text;
  }
  std::string condition() const {
    std::string text;
    for (const Condition& clause : conditions) {
      if (!text.empty()) text += " AND ";
      text += conditions.size() > 1 && clause.has_or ? "(" + clause.text + ")" : clause.text;
    }
    return text;
  }
};

const std::string& member_in(const WriteAction& action, std::string_view placeholder) {
  static const std::string none;
  for (const auto& [name, member] : action.members) {
    if (name == placeholder) return member;
  }
  return none;
}

void add_names_and_values(const WriteAction& action, const RequestText& text, const std::string& suffix,
                          Clauses& clauses) {
  for (const auto& [placeholder, attribute] : text.names) clauses.names.emplace_back(placeholder + suffix, attribute);
  for (const auto& [placeholder, expression] : text.members)
    clauses.names.emplace_back(placeholder + suffix, member_in(action, placeholder));
  for (const design::PlannedValue& planned : text.text.values) {
    const Value* value = action.value(planned.placeholder);
    clauses.values.emplace_back(planned.placeholder + suffix, value == nullptr ? absent_value(planned.source) : *value);
  }
}

// Adds a further map member that a piece changes. If the item lacks the map, the piece itself writes the whole map.
void add_member(const WriteAction& action, const WriteAction::MemberChange& change, const std::string& suffix,
                Clauses& clauses) {
  if (action.chosen[change.piece] % 2 != 0) return;
  clauses.add(*change.text, change.form->section, suffix);
  for (const design::PlannedName& name : change.form->names)
    clauses.names.emplace_back(name.placeholder + suffix, name.member ? change.member : name.attribute);
  for (size_t i = 0; i < change.form->values.size(); ++i)
    clauses.values.emplace_back(change.form->values[i].placeholder + suffix, change.values[i]);
}

Outcome<void> add_clauses(const RequestParts& parts, const WriteAction& action, const std::string& suffix,
                          Clauses& clauses) {
  const auto& pieces = action.prepared->request.pieces;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (action.chosen[i] < 0) continue;
    const auto chosen = static_cast<size_t>(action.chosen[i]);
    clauses.add(action.prepared->forms[i][chosen], pieces[i].forms[chosen].section, suffix);
  }
  add_names_and_values(action, *action.prepared->text(action.chosen), suffix, clauses);
  size_t number = 0;
  for (const WriteAction::MemberChange& change : action.more_members)
    add_member(action, change, fmt::format("_also{}{}", ++number, suffix), clauses);
  number = 0;
  for (const auto& [attribute, value] : action.unchanged) {
    const std::string name = fmt::format("was{}{}", ++number, suffix);
    clauses.conditions.push_back({fmt::format("#{} = :{}", name, name)});
    clauses.names.emplace_back("#" + name, attribute);
    clauses.values.emplace_back(":" + name, value);
  }
  TRY_INTO(auto additional, additional_attributes(parts, action));
  number = 0;
  for (auto& [attribute, value] : additional) {
    const std::string name = fmt::format("additional{}{}", ++number, suffix);
    clauses.names.emplace_back("#" + name, attribute);
    if (!value) {
      clauses.updates.emplace_back(Section::kRemove, "#" + name);
      continue;
    }
    clauses.updates.emplace_back(Section::kSet, fmt::format("#{} = :{}", name, name));
    clauses.values.emplace_back(":" + name, std::move(*value));
  }
  for (size_t i = 0; i < action.parts.size(); ++i)
    TRY(add_clauses(parts, action.parts[i], fmt::format("_part{}{}", i + 1, suffix), clauses));
  return {};
}

// Whether only the chosen forms are written, so that the text of the prepared plan can be used.
bool is_as_planned(const WriteAction& action) {
  return action.more_members.empty() && action.unchanged.empty() && action.parts.empty() &&
         !action.prepared->request.additional;
}

}  // namespace

Outcome<void> set_expressions(const RequestParts& parts, WriteAction& action) {
  if (action.prepared == nullptr) return {};
  Clauses clauses;
  if (is_as_planned(action)) {
    const auto text = action.prepared->text(action.chosen);
    action.update = text->text.update;
    action.condition = text->text.condition;
    add_names_and_values(action, *text, "", clauses);
  } else {
    TRY(add_clauses(parts, action, "", clauses));
    action.update = clauses.update();
    action.condition = clauses.condition();
  }
  action.placeholders.names.reset();
  action.placeholders.values.reset();
  if (!clauses.names.empty()) action.placeholders.names = std::move(clauses.names);
  if (!clauses.values.empty()) action.placeholders.values = std::move(clauses.values);
  return {};
}

}  // namespace trestle::runtime
