#include "runtime/requests/map_members.h"

#include <algorithm>
#include <map>

#include "model/number.h"

namespace trestle::runtime {

using design::Form;
using design::Piece;

namespace {

using MemberChange = WriteAction::MemberChange;

// The name of the member that a form writes.
const std::string& member_of(const WriteAction& action, const Form& form) {
  static const std::string none;
  for (const design::PlannedName& name : form.names) {
    if (!name.member) continue;
    for (const auto& [placeholder, member] : action.members) {
      if (placeholder == name.placeholder) return member;
    }
  }
  return none;
}

std::string_view fresh_map(const Piece& piece) { return piece.forms[1].values[0].placeholder; }

MemberChange own_change(const WriteAction& action, size_t i) {
  const Piece& piece = action.prepared->request.pieces[i];
  const auto at = static_cast<size_t>(member_form(piece, action, true));
  const Form& form = piece.forms[at];
  MemberChange change{.piece = i,
                      .member = member_of(action, form),
                      .adds = piece.choice == Piece::Choice::kByMap,
                      .form = &form,
                      .text = &action.prepared->forms[i][at],
                      .values = {}};
  for (const design::PlannedValue& planned : form.values) {
    const Value* value = action.value(planned.placeholder);
    change.values.push_back(value == nullptr ? Value::null() : *value);
  }
  return change;
}

std::vector<MemberChange> changes_of(const WriteAction& action, size_t i) {
  std::vector<MemberChange> changes = {own_change(action, i)};
  for (const MemberChange& more : action.more_members) {
    if (more.piece == i) changes.push_back(more);
  }
  return changes;
}

std::optional<std::string> sum(ValueView a, ValueView b) {
  if (a.type() != ValueType::kNumber || b.type() != ValueType::kNumber) return std::nullopt;
  const auto total = add(number_of(a.scalar()), number_of(b.scalar()));
  if (!total) return std::nullopt;
  return total->text();
}

// Two changes of one member as one, in the first. False: they differ.
bool join(MemberChange& into, const MemberChange& more) {
  if (into.adds != more.adds) return false;
  if (!into.adds) return into.values == more.values;
  const auto total = sum(into.values[0], more.values[0]);
  if (total) into.values[0] = Value::number(*total);
  return total.has_value();
}

// The map that is written if the item lacks it; nothing: no member is left.
std::optional<Value> map_of(const std::vector<MemberChange>& changes) {
  std::vector<Field> fields;
  for (const MemberChange& change : changes) {
    if (!change.values.empty()) fields.push_back({change.member, change.values[0].view()});
  }
  if (fields.empty()) return std::nullopt;
  return Value::map(std::move(fields));
}

}  // namespace

bool changes_member(const Piece& piece) {
  return piece.choice == Piece::Choice::kByMap || piece.choice == Piece::Choice::kByMember;
}

int8_t member_form(const Piece& piece, const WriteAction& action, bool has_map) {
  if (piece.choice == Piece::Choice::kByMap) return has_map ? 0 : 1;
  if (!has_map) return action.value(fresh_map(piece)) != nullptr ? 1 : 3;
  const auto& values = piece.forms[0].values;
  return values.empty() || action.value(values[0].placeholder) == nullptr ? 2 : 0;
}

bool join_members(WriteAction& into, size_t piece, const WriteAction& more, size_t its_piece) {
  std::vector<MemberChange> joined = changes_of(into, piece);
  for (const MemberChange& change : changes_of(more, its_piece)) {
    const auto same = std::ranges::find(joined, change.member, &MemberChange::member);
    if (same == joined.end()) {
      joined.push_back(change);
      joined.back().piece = piece;
    } else if (!join(*same, change)) {
      return false;
    }
  }
  const Piece& planned = into.prepared->request.pieces[piece];
  set_value(into, fresh_map(planned), map_of(joined));
  const MemberChange& own = joined[0];
  if (!own.values.empty()) set_value(into, own.form->values[0].placeholder, own.values[0]);
  std::erase_if(into.more_members, [&](const MemberChange& one) { return one.piece == piece; });
  into.more_members.insert(into.more_members.end(), std::make_move_iterator(joined.begin() + 1),
                           std::make_move_iterator(joined.end()));
  return true;
}

bool join_own_members(WriteAction& action) {
  const auto& pieces = action.prepared->request.pieces;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (action.chosen[i] < 0 || !changes_member(pieces[i])) continue;
    for (size_t j = i + 1; j < pieces.size(); ++j) {
      if (action.chosen[j] < 0 || !changes_member(pieces[j]) || pieces[j].attribute != pieces[i].attribute) continue;
      if (!join_members(action, i, action, j)) return false;
      action.chosen[j] = -1;
    }
  }
  return true;
}

std::optional<Value> sum_of_maps(ValueView a, ValueView b) {
  std::map<std::string_view, std::string> sums;
  for (const ValueView map : {a, b}) {
    for (const Field& field : map.map()) {
      auto [at, fresh] = sums.emplace(field.name, std::string(field.value.scalar()));
      if (fresh) continue;
      const auto total = add(number_of(at->second), number_of(field.value.scalar()));
      if (!total) return std::nullopt;
      at->second = total->text();
    }
  }
  std::vector<Value> values;
  values.reserve(sums.size());
  std::vector<Field> fields;
  for (const auto& [name, number] : sums) {
    values.push_back(Value::number(number));
    fields.push_back({name, values.back().view()});
  }
  return Value::map(std::move(fields));
}

}  // namespace trestle::runtime
