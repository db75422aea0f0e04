#include "runtime/requests/merge_actions.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include "model/number.h"
#include "runtime/requests/map_members.h"

namespace trestle::runtime {

using design::Form;
using design::Piece;
using design::RequestKind;
using design::Section;

namespace {

bool is_tally(const WriteAction& action) {
  return action.prepared != nullptr && action.prepared->request.tally != nullptr;
}

// The action of the higher rank is the base of a merge: first one that replaces or deletes the item, then one that the
// design itself writes.
int rank(const WriteAction& action) {
  switch (action.kind) {
    case RequestKind::kPutItem:
      return 4;
    case RequestKind::kDeleteItem:
      return 3;
    case RequestKind::kUpdateItem:
      return is_tally(action) ? 1 : 2;
    default:
      return 0;
  }
}

const Piece& piece_at(const WriteAction& action, size_t i) { return action.prepared->request.pieces[i]; }

const Form* form_at(const WriteAction& action, size_t i) {
  return action.chosen[i] < 0 ? nullptr : &piece_at(action, i).forms[static_cast<size_t>(action.chosen[i])];
}

std::string_view written_attribute(const WriteAction& action, size_t i) {
  const Piece& piece = piece_at(action, i);
  const Form* form = form_at(action, i);
  if (form == nullptr) return {};
  if (!piece.attribute.empty()) return piece.attribute;
  if (form->text.empty() || form->names.empty()) return {};
  return form->names[0].attribute;
}

bool is_initial_value(const Form& form) { return form.effect == Form::Effect::kInitialValue; }
bool is_amount(const Form& form) { return form.effect == Form::Effect::kAmount; }

// Whether the form does nothing but set an attribute to its value, so that setting it twice is the same as once.
bool sets_value(const Form& form) {
  if (form.section != Section::kSet || form.values.size() != 1) return false;
  std::string_view value = std::string_view(form.text).substr(std::min(form.text.find('=') + 1, form.text.size()));
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return value == form.values[0].placeholder;
}

// The index of the piece that checks an attribute's range; the number of pieces if there is none.
size_t range_of(const WriteAction& action, std::string_view attribute) {
  for (size_t i = 0; i < action.chosen.size(); ++i) {
    const Form* form = form_at(action, i);
    if (form != nullptr && piece_at(action, i).cause == design::Cause::kRange && !form->names.empty() &&
        form->names[0].attribute == attribute)
      return i;
  }
  return action.chosen.size();
}

// Two amounts are added to one attribute: merges their range checks into one for the sum. False: a bound would not be a
// valid number.
bool merge_ranges(WriteAction& into, size_t i, WriteAction& more, size_t j, std::string_view attribute) {
  const size_t own = range_of(into, attribute);
  const size_t other = range_of(more, attribute);
  const bool has_own = own < into.chosen.size();
  if (!has_own && other >= more.chosen.size()) return true;
  WriteAction& keeps = has_own ? into : more;
  const WriteAction& joins = has_own ? more : into;
  const Form& amount = *form_at(joins, has_own ? j : i);
  if (!shift_range(keeps, has_own ? own : other, joins.value(amount.values[0].placeholder))) return false;
  if (has_own && other < more.chosen.size()) more.chosen[other] = -1;
  return true;
}

bool has_work(const WriteAction& action) {
  for (size_t i = 0; i < action.chosen.size(); ++i) {
    const Form* form = form_at(action, i);
    if (form != nullptr && (!form->text.empty() || !form->condition.empty())) return true;
  }
  return false;
}

// Both pieces write the same attribute: drops one, and adds its amount, if it has one, to the other. False: they
// conflict.
bool merge_pieces(WriteAction& into, size_t i, WriteAction& more, size_t j) {
  const Form& a = *form_at(into, i);
  const Form& b = *form_at(more, j);
  // A piece that changes the set also converts a stored list, so the piece that only converts it is dropped.
  if (piece_at(more, j).choice == Piece::Choice::kByList) {
    more.chosen[j] = -1;
    return true;
  }
  if (piece_at(into, i).choice == Piece::Choice::kByList) {
    into.chosen[i] = -1;
    return true;
  }
  if (raises_revision(a) && raises_revision(b)) {
    more.chosen[j] = -1;
    return true;
  }
  // A value that is set if absent yields to one that is set or added.
  if (is_initial_value(b)) {
    more.chosen[j] = -1;
    return true;
  }
  if (is_initial_value(a)) {
    into.chosen[i] = -1;
    return true;
  }
  const bool a_extreme = piece_at(into, i).choice == Piece::Choice::kByExtreme;
  const bool b_extreme = piece_at(more, j).choice == Piece::Choice::kByExtreme;
  if (a_extreme || b_extreme) {
    if (!a_extreme || !b_extreme) return false;
    add_extreme(into, i, more, j);
    more.chosen[j] = -1;
    return true;
  }
  const bool a_map = changes_member(piece_at(into, i));
  const bool b_map = changes_member(piece_at(more, j));
  if (a_map || b_map) {
    if (!a_map || !b_map || !join_members(into, i, more, j)) return false;
    more.chosen[j] = -1;
    return true;
  }
  if (piece_at(into, i).choice == Piece::Choice::kBySet && piece_at(more, j).choice == Piece::Choice::kBySet) {
    if (!join_sets(into, i, more, j)) return false;
    more.chosen[j] = -1;
    return true;
  }
  if (is_amount(a) && is_amount(b)) {
    const std::string attribute(written_attribute(into, i));
    if (!merge_ranges(into, i, more, j, attribute) || !add_amount(into, i, more, j)) return false;
    more.chosen[j] = -1;
    return true;
  }
  const auto value_of = [](const WriteAction& action, const Form& form) {
    return form.values.size() == 1 ? action.value(form.values[0].placeholder) : nullptr;
  };
  const Value* x = value_of(into, a);
  const Value* y = value_of(more, b);
  // Both set the same value, such as the item's type or the time of the write.
  if (!sets_value(a) || !sets_value(b)) return false;
  if (a.section != b.section || x == nullptr || y == nullptr || *x != *y) return false;
  more.chosen[j] = -1;
  return true;
}

// Merges `more`, and then its parts, into an update, a deletion or a check. Parts have no parts of their own.
bool merge_update(WriteAction& into, WriteAction more) {
  std::vector<WriteAction> parts = std::exchange(more.parts, {});
  std::vector<WriteAction*> bases = {&into};
  for (WriteAction& part : into.parts) bases.push_back(&part);
  for (size_t j = 0; j < more.chosen.size(); ++j) {
    const std::string_view attribute = written_attribute(more, j);
    if (attribute.empty()) continue;
    for (WriteAction* base : bases) {
      for (size_t i = 0; i < base->chosen.size() && more.chosen[j] >= 0; ++i) {
        if (written_attribute(*base, i) == attribute && !merge_pieces(*base, i, more, j)) return false;
      }
    }
  }
  if (has_work(more)) {
    if (more.kind == RequestKind::kUpdateItem && into.kind == RequestKind::kConditionCheck)
      into.kind = RequestKind::kUpdateItem;
    into.parts.push_back(std::move(more));
  }
  return std::ranges::all_of(parts, [&](WriteAction& part) { return merge_update(into, std::move(part)); });
}

// Adds the amounts of a tally to the item of a put, whose revision is already set.
bool merge_put(WriteAction& put, const WriteAction& tally) {
  ItemEditor editor(put.item);
  std::deque<Value> values;  // referred to by the editor until it builds
  for (size_t i = 0; i < tally.chosen.size(); ++i) {
    const Form* form = form_at(tally, i);
    const std::string_view attribute = written_attribute(tally, i);
    if (form == nullptr || attribute.empty() || raises_revision(*form)) continue;
    const auto put_value = put.item.find(attribute);
    if (piece_at(tally, i).choice == Piece::Choice::kByExtreme) {
      const WriteAction::Extreme* extreme = tally.extreme_of(i);
      if (extreme == nullptr) continue;
      put.figures.emplace(attribute);
      const auto next = extreme->change.next(put_value);
      if (next == ExtremeChange::Next::kRead) put.extremes_left.push_back(tally.extreme_left(*extreme));
      if (next == ExtremeChange::Next::kSet) editor.set(attribute, values.emplace_back(*extreme->change.after));
    } else if (piece_at(tally, i).choice == Piece::Choice::kByMap) {
      const Value* fresh = tally.value(piece_at(tally, i).forms[1].values[0].placeholder);
      if (fresh == nullptr) return false;
      const auto sum = put_value ? sum_of_maps(*put_value, *fresh) : std::optional(*fresh);
      if (!sum) return false;
      put.figures.emplace(attribute);
      editor.set(attribute, values.emplace_back(*sum));
    } else if (is_amount(*form)) {
      const Value* amount = tally.value(form->values[0].placeholder);
      if (amount == nullptr || amount->view().type() != ValueType::kNumber) return false;
      put.figures.emplace(attribute);
      if (!put_value) {
        editor.set(attribute, *amount);
        continue;
      }
      const auto total = add(number_of(put_value->scalar()), number_of(amount->view().scalar()));
      if (!total) return false;
      editor.set(attribute, values.emplace_back(Value::number(total->text())));
    }
  }
  put.item = editor.build();
  return true;
}

bool deletes_guard(const WriteAction& action) {
  return action.kind == RequestKind::kDeleteItem && action.prepared->request.guard != nullptr && action.parts.empty();
}

// Two items give up one guard. Only one of them has it: both may have expired, one after the other.
void add_alternative(WriteAction& deletion, WriteAction other) {
  std::vector<WriteAction> more = std::exchange(other.alternatives, {});
  deletion.alternatives.push_back(std::move(other));
  std::ranges::move(more, std::back_inserter(deletion.alternatives));
}

// One item gives up a guard or child and another takes it over. The put of a guard keeps the deletion's condition that
// the guard names the first item; the put of a child replaces it.
bool take_over(WriteAction& put, WriteAction deletion) {
  const bool of_children = put.prepared->request.each != nullptr && deletion.prepared->request.each != nullptr;
  if (of_children && deletion.kind == RequestKind::kDeleteItem && deletion.parts.empty()) return true;
  if (put.prepared->request.guard == nullptr || !deletes_guard(deletion)) return false;
  if (!put.parts.empty()) {
    if (!deletes_guard(put.parts[0])) return false;
    add_alternative(put.parts[0], std::move(deletion));
    return true;
  }
  for (size_t i = 0; i < put.chosen.size(); ++i) {
    if (piece_at(put, i).cause == design::Cause::kGuard) put.chosen[i] = -1;
  }
  put.parts.push_back(std::move(deletion));
  return true;
}

// Whether the action has a condition from the design. Conditions that the runtime evaluates on items it has read count
// like those that are sent.
bool has_own_condition(const WriteAction& action) {
  if (action.prepared->request.holds) return true;
  for (size_t i = 0; i < action.chosen.size(); ++i) {
    const Form* form = form_at(action, i);
    const design::Cause cause = piece_at(action, i).cause;
    const bool own = cause == design::Cause::kCondition || cause == design::Cause::kFlow;
    if (form != nullptr && own && !form->condition.empty()) return true;
  }
  // A check of the item is combined with any number of updates.
  return std::ranges::any_of(action.parts, [](const WriteAction& part) {
    return part.kind != RequestKind::kConditionCheck && has_own_condition(part);
  });
}

WriteAction::Followers followers_of(const WriteAction& action) {
  auto most = action.followers;
  for (const WriteAction& part : action.parts) most = std::max(most, followers_of(part));
  return most;
}

bool writes(const WriteAction& action, std::string_view attribute) {
  for (size_t i = 0; i < action.chosen.size(); ++i) {
    const Form* form = form_at(action, i);
    if (form == nullptr || form->section == Section::kNone || is_initial_value(*form)) continue;
    if (written_attribute(action, i) == attribute) return true;
  }
  return std::ranges::any_of(action.parts, [&](const WriteAction& part) { return writes(part, attribute); });
}

// Whether values of `action` are computed from an attribute that `other` writes.
bool is_computed_from(const WriteAction& action, const WriteAction& other) {
  for (size_t i = 0; i < action.chosen.size(); ++i) {
    const Form* form = form_at(action, i);
    if (form == nullptr || piece_at(action, i).cause != design::Cause::kObserved || form->names.empty()) continue;
    const std::string& attribute = form->names[0].attribute;
    if (action.prepared->request.computed_from.contains(attribute) && writes(other, attribute)) return true;
  }
  return std::ranges::any_of(action.parts, [&](const WriteAction& part) { return is_computed_from(part, other); });
}

// Whether two actions of the same rank on one item can be merged. Two updates cannot if one has a condition or computes
// from what the other writes: the conditions, values and follow-up writes of each assume the item before both.
bool are_mergeable(const WriteAction& a, const WriteAction& b) {
  if (rank(a) <= 1 || (deletes_guard(a) && deletes_guard(b))) return true;
  if (rank(a) > 2 || has_own_condition(a) || has_own_condition(b)) return false;
  if (is_computed_from(a, b) || is_computed_from(b, a)) return false;
  const auto of_a = followers_of(a);
  const auto of_b = followers_of(b);
  return std::min(of_a, of_b) == WriteAction::Followers::kNone || std::max(of_a, of_b) == WriteAction::Followers::kSums;
}

bool merge(WriteAction& into, WriteAction more) {
  // Merges the parts of `more`: other tallies of the same target, and checks of it.
  const auto merge_parts = [&] {
    return std::ranges::all_of(more.parts, [&](WriteAction& part) { return merge(into, std::move(part)); });
  };
  switch (into.kind) {
    case RequestKind::kPutItem:
      if (!is_tally(more)) return take_over(into, std::move(more));
      return merge_put(into, more) && merge_parts();
    case RequestKind::kDeleteItem:
      if (is_tally(more)) return merge_parts();
      if (deletes_guard(into) && deletes_guard(more)) {
        add_alternative(into, std::move(more));
        return true;
      }
      return more.kind == RequestKind::kConditionCheck && merge_update(into, std::move(more));
    default:
      return merge_update(into, std::move(more));
  }
}

}  // namespace

WriteAction::Followers followers_by(const design::Tally& tally, const WriteAction& update) {
  const auto mentions = [](const design::Expression& e, std::string_view field) {
    bool found = false;
    design::each_expression(e, [&](const design::Expression& part) { found = found || part.is_name(field); });
    return found;
  };
  auto most = WriteAction::Followers::kNone;
  for (size_t i = 0; i < update.chosen.size(); ++i) {
    const std::string_view written = written_attribute(update, i);
    if (written.empty()) continue;
    const auto decides = [&](const design::Binding& binding) {
      return mentions(binding.value, written) || (binding.element && mentions(*binding.element, written));
    };
    const auto is_sum = [&](const design::Binding& binding) {
      return binding.value.is_name(written) && !(binding.element && mentions(*binding.element, written));
    };
    const auto extremes = std::ranges::any_of(
        tally.extremes, [&](const design::TallyExtreme& extreme) { return decides(extreme.figure); });
    if (extremes || std::ranges::any_of(tally.by, decides) || (tally.when && mentions(*tally.when, written)))
      return WriteAction::Followers::kChange;
    // With an initial value, the sum of a new item differs from the sum of the amounts.
    const Form& form = *form_at(update, i);
    const bool adds = is_amount(form) && form.values.size() == 1 && piece_at(update, i).choice != Piece::Choice::kByMap;
    for (const design::Binding& binding : tally.add) {
      if (!decides(binding)) continue;
      if (!adds || !is_sum(binding)) return WriteAction::Followers::kChange;
      most = WriteAction::Followers::kSums;
    }
  }
  return most;
}

bool merge_actions(std::vector<WriteAction>& actions) {
  for (size_t i = 0; i < actions.size(); ++i) {
    for (size_t j = i + 1; j < actions.size();) {
      if (actions[i].table != actions[j].table || actions[i].key != actions[j].key) {
        ++j;
        continue;
      }
      if (actions[i].prepared == nullptr || actions[j].prepared == nullptr) return false;
      if (rank(actions[i]) == rank(actions[j]) && !are_mergeable(actions[i], actions[j])) return false;
      if (rank(actions[i]) < rank(actions[j])) std::swap(actions[i], actions[j]);
      if (!merge(actions[i], std::move(actions[j]))) return false;
      actions.erase(actions.begin() + static_cast<std::ptrdiff_t>(j));
      j = i + 1;
    }
  }
  return true;
}

}  // namespace trestle::runtime
