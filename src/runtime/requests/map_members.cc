#include "runtime/requests/map_members.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/contains.h"
#include "model/number.h"
#include "runtime/expressions/comparison.h"
#include "runtime/items/typed_value.h"

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

bool is_most(const design::PlannedValue& planned) { return planned.bound == design::Bound::kMostMembers; }
bool is_fewest(const design::PlannedValue& planned) { return planned.bound == design::Bound::kFewestMembers; }
// The bounds of a member before an amount is added to it.
bool is_low(const design::PlannedValue& planned) { return planned.bound == design::Bound::kLeastInMap; }
bool is_high(const design::PlannedValue& planned) { return planned.bound == design::Bound::kMostInMap; }

bool is_removal(const MemberChange& change) { return change.form->section == design::Section::kRemove; }

// Joins two changes of the same member in the first. False: they cannot be joined.
bool join(MemberChange& into, const MemberChange& more) {
  if (into.adds != more.adds || is_removal(into) != is_removal(more)) return false;
  if (is_removal(into)) return true;
  if (!into.adds) return into.values[0] == more.values[0];
  MemberChange joined = into;
  const auto total = sum(into.values[0], more.values[0]);
  if (!total) return false;
  joined.values[0] = Value::number(*total);
  for (size_t i = 0; i < joined.form->values.size(); ++i) {
    const design::PlannedValue& planned = joined.form->values[i];
    if (!is_low(planned) && !is_high(planned)) continue;
    if (joined.values[i].view().type() != ValueType::kNumber) return false;
    const auto bound = subtract(number_of(joined.values[i].view().scalar()), number_of(more.values[0].view().scalar()));
    if (!bound) return false;
    joined.values[i] = Value::number(bound->text());
  }
  into = std::move(joined);
  return true;
}

// The map that is written if the item lacks it. Nothing: it would be empty.
std::optional<Value> map_of(const std::vector<MemberChange>& changes) {
  std::vector<Field> fields;
  for (const MemberChange& change : changes) {
    if (!is_removal(change)) fields.push_back({change.member, change.values[0].view()});
  }
  if (fields.empty()) return std::nullopt;
  return Value::map(std::move(fields));
}

}  // namespace

namespace {

const design::Field* field_of(const WriteAction& action, const Piece& piece) {
  const design::Entity* entity = action.prepared->request.entity;
  return entity == nullptr ? nullptr : entity->field(piece.attribute);
}

std::optional<int64_t> members_max(const WriteAction& action, const Piece& piece) {
  const design::Field* field = field_of(action, piece);
  return field == nullptr ? std::nullopt : field->type.max;
}

std::optional<int64_t> members_min(const WriteAction& action, const Piece& piece) {
  const design::Field* field = field_of(action, piece);
  return field == nullptr ? std::nullopt : field->type.min;
}

bool is_limit(const design::PlannedValue& planned) { return is_most(planned) || is_fewest(planned); }

// Whether one of the changes has a condition on the number of members.
bool is_limited(const Piece& piece, size_t i, const WriteAction& action) {
  if (!changes_member(piece)) return std::ranges::any_of(piece.forms[0].values, is_limit);
  return std::ranges::any_of(changes_of(action, i), [&](const MemberChange& change) {
    return std::ranges::any_of(change.form->values, is_limit);
  });
}

bool has_member(const std::optional<ValueView>& map, const std::string& name) {
  return map && map->type() == ValueType::kMap && map->map().find(name).has_value();
}

size_t size_of(const std::optional<ValueView>& value) {
  if (!value) return 0;
  if (value->type() == ValueType::kMap) return value->map().size();
  if (is_set(value->type())) return value->set().size();
  return 0;
}

// Sets the limits of the conditions: `room` is the number of further members that the change of a member must leave
// room for, `leaving` the number of further members that go away with the removal of a member.
void set_limits(WriteAction& action, size_t piece, const std::function<int64_t(const std::string& member)>& room,
                const std::function<int64_t(const std::string& member)>& leaving) {
  const Piece& planned = action.prepared->request.pieces[piece];
  if (!is_limited(planned, piece, action)) return;
  const auto most = members_max(action, planned);
  const auto fewest = members_min(action, planned);
  const auto limit = [&](const design::PlannedValue& value, const std::string& member) -> std::optional<Value> {
    if (most && is_most(value)) return Value::number(*most - room(member));
    if (fewest && is_fewest(value)) return Value::number(*fewest + leaving(member));
    return std::nullopt;
  };
  const MemberChange own = own_change(action, piece);
  for (const design::PlannedValue& value : own.form->values) {
    if (const auto number = limit(value, own.member)) set_value(action, value.placeholder, number);
  }
  for (MemberChange& change : action.more_members) {
    if (change.piece != piece) continue;
    for (size_t i = 0; i < change.form->values.size(); ++i) {
      if (const auto number = limit(change.form->values[i], change.member)) change.values[i] = *number;
    }
  }
}

// The members that a change of a set adds or removes; null: none.
const Value* changed_set(const Piece& piece, const WriteAction& action) {
  const Value* changed = action.value(piece.forms[0].values[0].placeholder);
  return changed == nullptr || !is_set(changed->view().type()) ? nullptr : changed;
}

// The size of the map or set after the change.
size_t size_after(const Piece& piece, size_t i, const WriteAction& action, const std::optional<ValueView>& now) {
  size_t size = size_of(now);
  if (piece.choice == Piece::Choice::kBySet) {
    const Value* changed = changed_set(piece, action);
    if (changed == nullptr) return size;
    const bool adds = piece.forms[0].section == design::Section::kAdd;
    for (const std::string_view member : changed->view().set()) {
      const bool there = now && is_set(now->type()) &&
                         std::ranges::any_of(now->set(), [&](std::string_view name) { return name == member; });
      if (adds != there) size += adds ? 1 : static_cast<size_t>(-1);
    }
    return size;
  }
  for (const MemberChange& change : changes_of(action, i)) {
    const bool there = has_member(now, change.member);
    if (is_removal(change))
      size -= there ? 1 : 0;
    else
      size += there ? 0 : 1;
  }
  return size;
}

}  // namespace

void set_room(WriteAction& action, size_t piece) {
  const Piece& planned = action.prepared->request.pieces[piece];
  const Value* changed = changed_set(planned, action);
  if (changed == nullptr) return;
  const auto members = static_cast<int64_t>(changed->view().set().size());
  const auto most = members_max(action, planned);
  const auto fewest = members_min(action, planned);
  for (const design::PlannedValue& value : planned.forms[0].values) {
    if (most && is_most(value)) set_value(action, value.placeholder, Value::number(*most - members));
    if (fewest && is_fewest(value)) set_value(action, value.placeholder, Value::number(*fewest + members));
  }
}

bool leaves_limits(const Piece& piece, size_t i, const WriteAction& action, const std::optional<ItemView>& old) {
  if (!is_limited(piece, i, action)) return false;
  const auto most = members_max(action, piece);
  const auto fewest = members_min(action, piece);
  const auto now = old ? old->find(piece.attribute) : std::nullopt;
  const size_t before = size_of(now);
  const size_t after = size_after(piece, i, action, now);
  // DynamoDB has no empty sets: an optional set without members is absent.
  const bool may_go = piece.choice == Piece::Choice::kBySet && after == 0 && field_of(action, piece)->optional;
  return (most && after > static_cast<size_t>(*most) && after > before) ||
         (fewest && after < static_cast<size_t>(*fewest) && after < before && !may_go);
}

bool leaves_member_range(const Piece& piece, size_t i, const WriteAction& action, const std::optional<ItemView>& old) {
  if (!changes_member(piece)) return false;
  const auto map = old ? old->find(piece.attribute) : std::nullopt;
  return std::ranges::any_of(changes_of(action, i), [&](const MemberChange& change) {
    const auto now = has_member(map, change.member) ? map->map().find(change.member) : std::nullopt;
    const std::string_view number = now && now->type() == ValueType::kNumber ? now->scalar() : std::string_view("0");
    for (size_t at = 0; at < change.form->values.size(); ++at) {
      const design::PlannedValue& planned = change.form->values[at];
      const ValueView bound = change.values[at];
      if ((!is_low(planned) && !is_high(planned)) || bound.type() != ValueType::kNumber) continue;
      const auto order = compare_numbers(number, bound.scalar());
      if (is_low(planned) ? order < 0 : order > 0) return true;
    }
    return false;
  });
}

bool has_room(const Piece& piece, size_t i, const WriteAction& action, const std::optional<ItemView>& old) {
  if (!is_limited(piece, i, action)) return true;
  const auto now = old ? old->find(piece.attribute) : std::nullopt;
  const auto size = std::to_string(size_of(now));
  // Conditions on sets include their limit, those on maps do not.
  const auto fits = [&](const std::vector<design::PlannedValue>& planned, const auto& value_of, bool strictly) {
    for (size_t at = 0; at < planned.size(); ++at) {
      if (!is_limit(planned[at])) continue;
      const auto order = compare_numbers(size, value_of(at));
      if ((order == 0 && strictly) || (is_most(planned[at]) ? order > 0 : order < 0)) return false;
    }
    return true;
  };
  if (piece.choice == Piece::Choice::kBySet) {
    const auto& values = piece.forms[0].values;
    return !now ||
           fits(values, [&](size_t at) { return action.value(values[at].placeholder)->view().scalar(); }, false);
  }
  for (const MemberChange& change : changes_of(action, i)) {
    if (has_member(now, change.member) != is_removal(change)) continue;
    if (!fits(change.form->values, [&](size_t at) { return change.values[at].view().scalar(); }, true)) return false;
  }
  return true;
}

bool join_sets(WriteAction& into, size_t piece, const WriteAction& more, size_t more_piece) {
  const Piece& planned = into.prepared->request.pieces[piece];
  const Piece& other = more.prepared->request.pieces[more_piece];
  const Value* members = changed_set(planned, into);
  const Value* further = changed_set(other, more);
  if (planned.forms[0].section != other.forms[0].section || members == nullptr || further == nullptr) return false;
  Plain::List all = elements_of(to_plain(*members));
  for (const Plain& member : elements_of(to_plain(*further))) {
    if (!list_contains(all, member)) all.push_back(member);
  }
  auto joined = to_value(Plain::set(std::move(all)), members->view().type());
  if (!joined) return false;
  set_value(into, planned.forms[0].values[0].placeholder, std::move(*joined));
  set_room(into, piece);
  return true;
}

void fit_room(WriteAction& action, size_t piece, const std::optional<ItemView>& old) {
  const Piece& planned = action.prepared->request.pieces[piece];
  const auto now = old ? old->find(planned.attribute) : std::nullopt;
  int64_t fresh = 0;
  for (const MemberChange& change : changes_of(action, piece)) {
    if (has_member(now, change.member)) fresh -= is_removal(change) ? 1 : 0;
    if (!has_member(now, change.member)) fresh += is_removal(change) ? 0 : 1;
  }
  // A member that exists needs no room; if it is removed in the meantime, it needs room for itself. A member that does
  // not exist is not missed; if it is added in the meantime, its removal is.
  set_limits(
      action, piece, [&](const std::string& member) { return has_member(now, member) ? fresh : fresh - 1; },
      [&](const std::string& member) { return has_member(now, member) ? -fresh - 1 : -fresh; });
}

bool changes_member(const Piece& piece) {
  return piece.choice == Piece::Choice::kByMap || piece.choice == Piece::Choice::kByMember;
}

int8_t member_form(const Piece& piece, const WriteAction& action, bool has_map) {
  if (piece.choice == Piece::Choice::kByMap) return has_map ? 0 : 1;
  if (!has_map) return action.value(fresh_map(piece)) != nullptr ? 1 : 3;
  if (piece.forms[0].section == design::Section::kRemove) return 2;
  const auto& values = piece.forms[0].values;
  return values.empty() || action.value(values[0].placeholder) == nullptr ? 2 : 0;
}

bool join_members(WriteAction& into, size_t piece, const WriteAction& more, size_t more_piece) {
  std::vector<MemberChange> joined = changes_of(into, piece);
  for (const MemberChange& change : changes_of(more, more_piece)) {
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
  for (size_t i = 0; i < own.values.size(); ++i) set_value(into, own.form->values[i].placeholder, own.values[i]);
  int64_t added = 0, removed = 0;
  for (const MemberChange& change : joined) ++(is_removal(change) ? removed : added);
  std::erase_if(into.more_members, [&](const MemberChange& member_change) { return member_change.piece == piece; });
  into.more_members.insert(into.more_members.end(), std::make_move_iterator(joined.begin() + 1),
                           std::make_move_iterator(joined.end()));
  set_limits(
      into, piece, [&](const std::string&) { return std::max<int64_t>(added - 1, 0); },
      [&](const std::string&) { return std::max<int64_t>(removed - 1, 0); });
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
