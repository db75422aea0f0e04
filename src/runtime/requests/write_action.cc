#include "runtime/requests/write_action.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "model/number.h"
#include "runtime/requests/map_members.h"

namespace trestle::runtime {

using design::Cause;
using design::Form;
using design::Piece;
using design::Section;

namespace {

bool exists_now(const WriteAction& action, const std::optional<ItemView>& old, int64_t now_s) {
  if (!old) return false;
  const design::Table* table = action.prepared->table;
  const design::Request& request = action.prepared->request;
  if (table == nullptr || table->ttl_attribute.empty() || request.entity == nullptr || !request.entity->ttl)
    return true;
  const auto ttl = old->find(table->ttl_attribute);
  if (!ttl || ttl->type() != ValueType::kNumber) return true;
  return compare_numbers(ttl->scalar(), std::to_string(now_s)) > 0;
}

// The attribute in the form's condition, such as "#status = :old_status" or attribute_not_exists(#status).
const std::string& attribute_of(const Form& form) {
  static const std::string none;
  return form.names.empty() ? none : form.names[0].attribute;
}

// "#rev = :if_match OR (attribute_not_exists(#rev) AND ...)": a missing revision counts as 0.
bool is_zero_revision(const Form& form, ValueView value) {
  return form.values.size() == 2 && form.values[1].placeholder == ":zero" && value.type() == ValueType::kNumber &&
         value.scalar() == "0";
}

bool still_holds(const Form& form, const WriteAction& action, const std::optional<ItemView>& old) {
  const auto now = old ? old->find(attribute_of(form)) : std::nullopt;
  if (form.values.empty()) return now.has_value() == form.requires_attribute;
  const Value* value = action.value(form.values[0].placeholder);
  if (value == nullptr) return false;
  return now ? *now == value->view() : is_zero_revision(form, *value);
}

bool is_of_list(const Piece& piece) {
  return piece.choice == Piece::Choice::kBySet || piece.choice == Piece::Choice::kByList;
}

std::optional<ValueView> number_in(const WriteAction& action, std::string_view placeholder) {
  const Value* value = action.value(placeholder);
  if (value == nullptr || value->view().type() != ValueType::kNumber) return std::nullopt;
  return value->view();
}

// A range's form compares the attribute with its bounds; a missing attribute counts as the number that a new item
// starts with, the form's value without a bound.
bool in_range(const Form& form, const WriteAction& action, const std::optional<ItemView>& old) {
  const auto now = old ? old->find(attribute_of(form)) : std::nullopt;
  const auto first = std::ranges::find(form.values, design::Bound::kNone, &design::PlannedValue::bound);
  const auto start = first == form.values.end() ? std::nullopt : number_in(action, first->placeholder);
  const std::string_view number = now && now->type() == ValueType::kNumber ? now->scalar()
                                  : start                                  ? start->scalar()
                                                                           : std::string_view("0");
  return std::ranges::all_of(form.values, [&](const design::PlannedValue& planned) {
    const Value* value = action.value(planned.placeholder);
    if (value == nullptr || value->view().type() != ValueType::kNumber) return true;
    const auto order = compare_numbers(number, value->view().scalar());
    if (planned.bound == design::Bound::kLeast) return order >= 0;
    return planned.bound != design::Bound::kMost || order <= 0;
  });
}

std::optional<std::string> sum(ValueView a, ValueView b) {
  const auto total = add(number_of(a.scalar()), number_of(b.scalar()));
  if (!total) return std::nullopt;
  return total->text();
}

// A flow's form compares the attribute with each value from which it may change, or with a list of them. If the write
// may create the item, the form also names the attributes that show whether it exists.
bool may_change(const Form& form, const WriteAction& action, const std::optional<ItemView>& old) {
  const auto now = old ? old->find(attribute_of(form)) : std::nullopt;
  if (!now) return false;
  for (const design::PlannedValue& planned : form.values) {
    const Value* value = action.value(planned.placeholder);
    if (value == nullptr) continue;
    if (*now == value->view()) return true;
    if (value->view().type() != ValueType::kList) continue;
    for (const ValueView element : value->view().list()) {
      if (element == *now) return true;
    }
  }
  return false;
}

// The attribute of the refusal for members of the map.
std::string_view member_refusal(const WriteAction& action, const std::string& map) {
  const std::string path = design::member_path(map);
  for (const design::Refusal& refusal : action.prepared->request.refusals) {
    if (refusal.attribute == path) return refusal.attribute;
  }
  return map;
}

}  // namespace

bool is_in_condition(const WriteAction& action, std::string_view attribute) {
  if (attribute.ends_with("[]")) attribute.remove_suffix(2);
  const auto& pieces = action.prepared->request.pieces;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (action.chosen[i] < 0 || pieces[i].cause != Cause::kCondition) continue;
    const Form& form = pieces[i].forms[static_cast<size_t>(action.chosen[i])];
    if (!form.condition.empty() &&
        std::ranges::any_of(form.names, [&](const auto& name) { return name.attribute == attribute; }))
      return true;
  }
  return false;
}

std::string_view out_of_range(const WriteAction& action, const std::optional<ItemView>& old) {
  const auto& pieces = action.prepared->request.pieces;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (action.chosen[i] < 0 || pieces[i].cause != Cause::kRange) continue;
    const Form& form = pieces[i].forms[static_cast<size_t>(action.chosen[i])];
    if (!form.condition.empty() && !in_range(form, action, old)) return attribute_of(form);
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    const bool has_members = changes_member(pieces[i]) || pieces[i].choice == Piece::Choice::kBySet;
    if (!has_members || action.chosen[i] < 0) continue;
    if (leaves_limits(pieces[i], i, action, old)) return pieces[i].attribute;
    if (leaves_member_range(pieces[i], i, action, old)) return member_refusal(action, pieces[i].attribute);
  }
  return {};
}

std::string_view found_revision(const Piece& extreme) { return extreme.forms[2].values[1].placeholder; }

void set_value(WriteAction& action, std::string_view placeholder, const std::optional<Value>& value) {
  for (auto& [name, old] : action.values) {
    if (name == placeholder) old = value;
  }
}

bool is_own(const design::Request& request) {
  return request.follows == design::Request::Follows::kItself && request.guard == nullptr && request.each == nullptr &&
         request.tally == nullptr;
}

const WriteAction* main_of(const std::vector<WriteAction>& actions, const design::Guard* key) {
  const auto owns_key = [&](const WriteAction& other_action) {
    return key != nullptr && std::ranges::any_of(other_action.prepared->request.entity->unique,
                                                 [&](const auto& guard) { return &guard == key; });
  };
  const WriteAction* main = nullptr;
  for (const WriteAction& action : actions) {
    if (action.in_loop || action.prepared == nullptr) continue;
    const design::Request& request = action.prepared->request;
    if (request.entity == nullptr || request.guard != nullptr || request.each != nullptr || request.tally != nullptr ||
        request.kind == design::RequestKind::kConditionCheck)
      continue;
    // A merged action has the position of its first part, so compare positions in the plan, which has the design's
    // order.
    const bool later = main == nullptr || std::less<>()(&main->prepared->request, &request);
    const bool owns = owns_key(action);
    if (main == nullptr || (owns == owns_key(*main) ? later : owns)) main = &action;
  }
  return main;
}

int8_t fitting_form(const Piece& piece, const WriteAction& action, const std::optional<ItemView>& old) {
  const auto now = old ? old->find(piece.attribute) : std::nullopt;
  switch (piece.choice) {
    case Piece::Choice::kByMap:
    case Piece::Choice::kByMember:
      return member_form(piece, action, now.has_value());
    case Piece::Choice::kBySet:
      // The set may already have some of the members.
      if (now && is_set(now->type()) && !has_room(piece, 0, action, old))
        return action.value(piece.forms[1].values[1].placeholder) != nullptr ? 1 : 2;
      [[fallthrough]];
    case Piece::Choice::kByList:
      if (!now || now->type() != ValueType::kList) return 0;
      return action.value(piece.forms[1].values[1].placeholder) != nullptr ? 1 : 2;
    case Piece::Choice::kByMin:
    case Piece::Choice::kByMax: {
      const Value* value = action.value(piece.forms[0].values[0].placeholder);
      const auto order = now && value != nullptr ? compare(*now, value->view()) : std::nullopt;
      if (piece.choice == Piece::Choice::kByMin) return order && *order <= 0 ? 0 : 1;
      return order && *order > 0 ? 1 : 0;
    }
    default:
      return 0;
  }
}

// Whether a least or greatest value needs another form, or was read from the remaining items before the target changed.
static bool is_other_extreme(const WriteAction& action, size_t i, const std::optional<ItemView>& old) {
  const Piece& piece = action.prepared->request.pieces[i];
  const WriteAction::Extreme* extreme = action.extreme_of(i);
  if (extreme == nullptr) return false;
  const int8_t chosen = action.chosen[i];
  if (chosen >= 2) {
    const Form& form = piece.forms[static_cast<size_t>(chosen)];
    const Value* found = action.value(found_revision(piece));
    const auto now = old ? old->find(form.names.back().attribute) : std::nullopt;
    return found != nullptr && (now ? *now != found->view() : found->view().scalar() != "0");
  }
  const auto next = extreme->change.next(old ? old->find(piece.attribute) : std::nullopt);
  return next != (chosen == 0 ? ExtremeChange::Next::kSet : ExtremeChange::Next::kStay);
}

std::optional<Cause> cause_of(const WriteAction& action, const std::optional<ItemView>& old, int64_t now_s) {
  const auto& pieces = action.prepared->request.pieces;
  const bool there = exists_now(action, old, now_s);
  bool condition = false, flow = false, other_form = false;
  std::string_view blocked;  // the attribute whose change the flow forbids
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (action.chosen[i] < 0) continue;
    const Form& form = pieces[i].forms[static_cast<size_t>(action.chosen[i])];
    if (form.condition.empty()) continue;
    switch (pieces[i].cause) {
      case Cause::kAbsent:
        if (!there) return Cause::kAbsent;
        break;
      case Cause::kPresent:
        if (there) return Cause::kPresent;
        break;
      case Cause::kGuard:
        return Cause::kGuard;
      case Cause::kRevision:
        if (!still_holds(form, action, old)) return Cause::kRevision;
        break;
      case Cause::kObserved:
        if (!still_holds(form, action, old)) return Cause::kObserved;
        break;
      case Cause::kForm:
        if (pieces[i].choice == Piece::Choice::kByExtreme) {
          other_form |= is_other_extreme(action, i, old);
          break;
        }
        other_form |= fitting_form(pieces[i], action, old) != action.chosen[i];
        other_form |= changes_member(pieces[i]) && action.chosen[i] % 2 == 0 && !has_room(pieces[i], i, action, old);
        // The list has changed since it was read.
        other_form |= is_of_list(pieces[i]) && action.chosen[i] > 0 && !still_holds(form, action, old);
        break;
      case Cause::kRange:
        break;
      case Cause::kFlow:
        if (!there && form.names.size() > 1) break;
        flow = true;
        if (blocked.empty() && !may_change(form, action, old)) blocked = attribute_of(form);
        break;
      case Cause::kCondition:
        condition = true;
        break;
    }
  }
  const auto is_same = [&](const auto& attribute) {
    const auto now = old ? old->find(attribute.first) : std::nullopt;
    return now && *now == attribute.second.view();
  };
  if (!std::ranges::all_of(action.unchanged, is_same)) return Cause::kObserved;
  // If the design's own condition uses that number or state, its refusal is more specific.
  if (const auto number = out_of_range(action, old); !number.empty())
    return is_in_condition(action, number) ? Cause::kCondition : Cause::kRange;
  if (other_form) return Cause::kForm;
  if (!blocked.empty()) return is_in_condition(action, blocked) ? Cause::kCondition : Cause::kFlow;
  if (condition) return Cause::kCondition;
  if (flow) return Cause::kFlow;
  return std::nullopt;
}

bool add_amount(WriteAction& into, size_t piece, const WriteAction& more, size_t more_piece) {
  const std::string_view placeholder = into.prepared->request.pieces[piece].forms[0].values[0].placeholder;
  const auto a = number_in(into, placeholder);
  const auto b = number_in(more, more.prepared->request.pieces[more_piece].forms[0].values[0].placeholder);
  const auto total = a && b ? sum(*a, *b) : std::nullopt;
  if (!total) return false;
  set_value(into, placeholder, Value::number(*total));
  return true;
}

void start_extreme(WriteAction& action, size_t piece) {
  const WriteAction::Extreme* extreme = action.extreme_of(piece);
  if (extreme == nullptr || (!extreme->change.before && !extreme->change.after)) {
    action.chosen[piece] = -1;
    return;
  }
  const ExtremeChange& change = extreme->change;
  const Piece& planned = action.prepared->request.pieces[piece];
  auto most = change.before;
  merge_extreme(change.greatest, most, change.after);
  if (change.after) set_value(action, planned.forms[0].values[0].placeholder, change.after);
  set_value(action, planned.forms[1].values[0].placeholder, most);
  // If the new value is the more extreme, the first attempt sets it; otherwise it leaves the figure unchanged.
  action.chosen[piece] = change.after && *most == *change.after ? 0 : 1;
}

WriteAction::ExtremeLeft WriteAction::extreme_left(const Extreme& extreme) const {
  const design::Request& request = prepared->request;
  const std::string& attribute = request.pieces[extreme.piece].attribute;
  const auto figure = std::ranges::find_if(request.tally->extremes, [&](const design::TallyExtreme& tally_extreme) {
    return tally_extreme.figure.field == attribute;
  });
  return {.tally = request.tally,
          .figure = &*figure,
          .fields = fields,
          .key = key,
          .change = extreme.change,
          .rows = extreme.rows};
}

void add_extreme(WriteAction& into, size_t piece, const WriteAction& more, size_t more_piece) {
  const WriteAction::Extreme* other = more.extreme_of(more_piece);
  if (other == nullptr) return;
  bool joined = false;
  for (WriteAction::Extreme& own : into.extremes) {
    if (own.piece != piece) continue;
    own.change.add(other->change);
    own.rows.insert(other->rows.begin(), other->rows.end());
    joined = true;
  }
  if (!joined) {
    into.extremes.push_back(*other);
    into.extremes.back().piece = piece;
  }
  start_extreme(into, piece);
}

bool shift_range(WriteAction& action, size_t piece, const Value* amount) {
  if (amount == nullptr || amount->view().type() != ValueType::kNumber) return false;
  const Number more = number_of(amount->view().scalar());
  for (const design::PlannedValue& planned : action.prepared->request.pieces[piece].forms[0].values) {
    if (planned.bound == design::Bound::kNone) continue;
    const auto bound = number_in(action, planned.placeholder);
    if (!bound) return false;
    const auto lower = subtract(number_of(bound->scalar()), more);
    if (!lower) return false;
    set_value(action, planned.placeholder, Value::number(lower->text()));
  }
  return true;
}

bool raises_revision(const Form& form) {
  return form.section == Section::kAdd && form.values.size() == 1 && form.values[0].source.field != nullptr &&
         form.values[0].source.field->revision;
}

bool is_idle(const WriteAction& action) {
  if (!action.is_difference || !action.parts.empty()) return false;
  const auto is_zero = [](const Value& value) {
    return value.view().type() == ValueType::kNumber && number_of(value.view().scalar()).is_zero();
  };
  const auto& pieces = action.prepared->request.pieces;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Form& form = pieces[i].forms[0];
    if (action.chosen[i] < 0 || raises_revision(form)) continue;
    if (pieces[i].choice == Piece::Choice::kByExtreme) return false;
    if (pieces[i].choice != Piece::Choice::kByMap && form.effect != Form::Effect::kAmount) continue;
    const Value* amount = action.value(form.values[0].placeholder);
    if (amount != nullptr && !is_zero(*amount)) return false;
  }
  return std::ranges::all_of(action.more_members, [&](const auto& change) { return is_zero(change.values[0]); });
}

bool merge_tally(WriteAction& into, const WriteAction& more) {
  const design::Request& request = into.prepared->request;
  const design::Request& other = more.prepared->request;
  if (request.tally != other.tally || request.pieces.size() != other.pieces.size()) return false;
  WriteAction merged = more;
  const auto subtracts = [](const design::Request& r) { return r.follows == design::Request::Follows::kOldValue; };
  merged.is_difference |= into.is_difference || subtracts(request) || subtracts(other);
  for (size_t i = 0; i < request.pieces.size(); ++i) {
    const Piece& piece = request.pieces[i];
    if (piece.choice == Piece::Choice::kByExtreme) {
      add_extreme(merged, i, into, i);
      continue;
    }
    if (into.chosen[i] < 0 || piece.forms[0].values.empty() || raises_revision(piece.forms[0])) continue;
    if (changes_member(piece)) {
      // One of them has no name for its map member: merge_actions() then keeps both as parts.
      if (merged.chosen[i] < 0 || !join_members(merged, i, into, i)) return false;
    } else if (piece.cause == Cause::kRange) {
      const auto same = [&](const Piece& other_piece) {
        return other_piece.forms[0].effect == Form::Effect::kAmount && !other_piece.forms[0].names.empty() &&
               other_piece.forms[0].names[0].attribute == piece.forms[0].names[0].attribute;
      };
      const auto amount = std::ranges::find_if(request.pieces, same);
      if (amount == request.pieces.end() || !shift_range(merged, i, into.value(amount->forms[0].values[0].placeholder)))
        return false;
    } else if (piece.forms[0].effect == Form::Effect::kAmount && !add_amount(merged, i, into, i)) {
      return false;
    }
  }
  into = std::move(merged);
  return true;
}

}  // namespace trestle::runtime
