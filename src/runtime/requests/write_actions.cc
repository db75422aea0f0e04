#include "runtime/requests/write_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/contains.h"
#include "design/plan/stored_attributes.h"
#include "model/number.h"
#include "runtime/expressions/comparison.h"
#include "runtime/expressions/evaluate.h"
#include "runtime/items/typed_value.h"
#include "runtime/requests/extra_attributes.h"
#include "runtime/requests/map_members.h"
#include "runtime/requests/merge_actions.h"
#include "runtime/requests/request_values.h"
#include "runtime/requests/shard_epochs.h"

namespace trestle::runtime {

using design::Form;
using design::Piece;
using design::Request;
using design::RequestKind;
using design::Section;

namespace {

bool has_values(const Form& form, const WriteAction& action) {
  return std::all_of(form.values.begin(), form.values.end(),
                     [&](const design::PlannedValue& value) { return action.value(value.placeholder) != nullptr; });
}

bool is_greatest(const Request& request, const Piece& piece) {
  const auto is_figure = [&](const design::TallyExtreme& tally_extreme) {
    return tally_extreme.figure.field == piece.attribute;
  };
  const auto found = std::ranges::find_if(request.tally->extremes, is_figure);
  return found != request.tally->extremes.end() && found->greatest;
}

// Whether the item that the step read had expired and was only waiting to be deleted.
bool was_expired(const CallState& state, const PreparedRequest& prepared) {
  const auto found = state.stored.find(prepared.current);
  if (found == state.stored.end() || prepared.table == nullptr || !prepared.request.entity->ttl) return false;
  return has_expired(*prepared.table, found->second, state.now_ms);
}

// The attribute as the step read it. Nothing if the item lacked it or is no longer known.
std::optional<Value> stored_value(const CallState& state, const std::string& step, std::string_view attribute) {
  const auto found = state.stored.find(step);
  if (found == state.stored.end()) return std::nullopt;
  const auto value = found->second.find(attribute);
  if (!value) return std::nullopt;
  return Value(*value);
}

// Whether the map members in which the piece counts have names. As in tallies through the stream, an item whose naming
// field is absent or empty is not counted in the map.
Outcome<bool> has_member_names(const RequestParts& parts, const Piece& piece, const Plain& fields) {
  for (const Form& form : piece.forms) {
    for (const design::PlannedName& name : form.names) {
      if (!name.member) continue;
      TRY_INTO(const Plain value, evaluate(*name.member, parts.scope(&fields)));
      if (!value.exists() || (value.is(Plain::Kind::kText) && value.string().empty())) return false;
    }
  }
  return true;
}

// Sets the item of a put. `fields` get the additional attributes.
Outcome<void> set_item(const RequestParts& parts, const PreparedRequest& prepared, Plain& fields, WriteAction& action) {
  const Request& request = prepared.request;
  std::vector<Value> values;
  values.reserve(request.item.size());
  std::vector<Field> attributes;
  for (const design::PlannedValue& planned : request.item) {
    TRY_INTO(auto value, value_of(parts, prepared, planned.source, fields));
    if (!value) continue;
    TRY(check_key_value(prepared, planned.source, planned.placeholder, fields, value));
    values.push_back(std::move(*value));
    attributes.push_back({planned.placeholder, values.back().view()});
  }
  action.item = Item(std::move(attributes));
  return put_extras(parts, request, action, fields);
}

// The names of map members and the values in the forms of a piece.
Outcome<void> add_piece_values(const RequestParts& parts, const PreparedRequest& prepared, const Piece& piece,
                               const Plain& fields, WriteAction& action) {
  for (const Form& form : piece.forms) {
    for (const design::PlannedName& name : form.names) {
      if (!name.member) continue;
      TRY_INTO(std::string value, member_name(parts, *name.member, fields));
      action.members.emplace_back(name.placeholder, std::move(value));
    }
    for (const design::PlannedValue& planned : form.values) {
      const auto same = [&](const auto& source_value) { return source_value.first == planned.placeholder; };
      if (std::any_of(action.values.begin(), action.values.end(), same)) continue;
      const std::string& current = prepared.request.current;
      if (piece.cause == design::Cause::kObserved && parts.state.stored.contains(current)) {
        auto read = stored_value(parts.state, current, form.names[0].attribute);
        // As a field, a missing revision is 0, but the condition is about the attribute.
        const bool revision = planned.source.field != nullptr && planned.source.field->revision;
        if (read || revision) {
          action.values.emplace_back(planned.placeholder, std::move(read));
          continue;
        }
      }
      TRY_INTO(auto value, value_of(parts, prepared, planned.source, fields, form.section));
      if (form.section == Section::kSet && !form.names.empty())
        TRY(check_key_value(prepared, planned.source, form.names[0].attribute, fields, value));
      action.values.emplace_back(planned.placeholder, std::move(value));
    }
  }
  return {};
}

// Chooses the form of a piece for the first attempt; -1: the piece takes no part.
void choose_form(const RequestParts& parts, const Request& request, size_t i, WriteAction& action) {
  const Piece& piece = request.pieces[i];
  int8_t& chosen = action.chosen[i];
  if (piece.choice == Piece::Choice::kByValue) {
    chosen = has_values(piece.forms[0], action) ? 0 : piece.forms.size() > 1 ? 1 : -1;
  } else if (piece.choice == Piece::Choice::kByExtreme) {
    WriteAction::Extreme extreme{.piece = i, .change = {.greatest = is_greatest(request, piece)}, .rows = {}};
    const bool old = request.follows == Request::Follows::kOldValue;
    const Value* value = action.value(piece.forms[old ? 1 : 0].values[0].placeholder);
    // A figure that never comes back has no forms for removed values.
    if (value != nullptr && (!old || piece.forms.size() > 2))
      (old ? extreme.change.before : extreme.change.after) = *value;
    action.extremes.push_back(std::move(extreme));
    start_extreme(action, i);
  } else if (piece.choice == Piece::Choice::kByMember) {
    chosen = member_form(piece, action, true);
  } else if (piece.choice == Piece::Choice::kByItem) {
    chosen = parts.state.was_found(request.current) ? 0 : 1;
  } else {
    // A piece that writes needs its values, and so does the range of a number that such a piece adds to.
    const bool is_extreme = piece.choice == Piece::Choice::kByMin || piece.choice == Piece::Choice::kByMax;
    const bool writes = is_extreme || piece.forms[0].section != Section::kNone;
    chosen = (writes || piece.cause == design::Cause::kRange) && !has_values(piece.forms[0], action) ? -1 : 0;
  }
}

// An attribute that is set or removed as a whole needs no conversion from a list.
void drop_conversions(const Request& request, WriteAction& action) {
  for (size_t i = 0; i < request.pieces.size(); ++i) {
    if (request.pieces[i].choice != Piece::Choice::kByList) continue;
    for (size_t j = 0; j < request.pieces.size(); ++j) {
      if (j == i || action.chosen[j] < 0) continue;
      const Form& form = request.pieces[j].forms[static_cast<size_t>(action.chosen[j])];
      if (form.section != Section::kNone && form.names[0].attribute == request.pieces[i].attribute)
        action.chosen[i] = -1;
    }
  }
}

}  // namespace

Outcome<std::optional<WriteAction>> action_of(const RequestParts& parts, const PreparedRequest& prepared,
                                              Plain fields) {
  const Request& request = prepared.request;
  WriteAction action{.prepared = &prepared, .kind = request.kind, .table = request.table};
  TRY_INTO(auto key, key_of(parts, prepared, fields));
  if (!key) return std::nullopt;
  action.key = std::move(*key);
  if (request.kind == RequestKind::kPutItem) TRY(set_item(parts, prepared, fields, action));
  std::vector<size_t> takes_part;
  for (size_t i = 0; i < request.pieces.size(); ++i) {
    const Piece& piece = request.pieces[i];
    if (!has_one_of(parts.state.names, piece.trigger_inputs)) continue;
    if (request.tally != nullptr) {
      TRY_INTO(const bool named, has_member_names(parts, piece, fields));
      if (!named) continue;
    }
    TRY(add_piece_values(parts, prepared, piece, fields, action));
    takes_part.push_back(i);
  }
  action.fields = std::move(fields);
  action.chosen.assign(request.pieces.size(), -1);
  for (const size_t i : takes_part) choose_form(parts, request, i, action);
  for (size_t i = 0; i < request.pieces.size(); ++i) {
    if (request.pieces[i].choice == Piece::Choice::kBySet) set_room(action, i);
  }
  if (!join_own_members(action))
    return refuse(
        400, fmt::format("A member of a map of {} would be written twice; nothing was changed.", request.entity->name));
  drop_conversions(request, action);
  return action;
}

namespace {

// For an item that has a list where the design has a set: sets the values of the form that replaces the list by the
// changed set, on condition that the list is unchanged. Also used for a set that has too little room for the condition.
Outcome<void> set_of_list(const Piece& piece, WriteAction& action, const std::optional<ItemView>& old) {
  const auto now = old ? old->find(piece.attribute) : std::nullopt;
  const bool is_change = piece.choice == Piece::Choice::kBySet;
  const Value* change = is_change ? action.value(piece.forms[0].values[0].placeholder) : nullptr;
  const bool is_full = is_change && now && is_set(now->type()) && !has_room(piece, 0, action, old);
  if (!now || (now->type() != ValueType::kList && !is_full) || (is_change && change == nullptr)) return {};
  const Plain::List members = elements_of(to_plain(*now));
  const Plain::List changed = is_change ? elements_of(to_plain(*change)) : Plain::List();
  Plain::List left;
  const bool adds = piece.forms[0].section == Section::kAdd;
  for (const Plain& member : members) {
    if (adds || !list_contains(changed, member)) left.push_back(member);
  }
  for (const Plain& member : adds ? changed : Plain::List()) {
    if (!list_contains(left, member)) left.push_back(member);
  }
  std::optional<Value> set;
  if (!left.empty()) {
    const design::Entity& entity = *action.prepared->request.entity;
    auto result = to_value(Plain::set(std::move(left)), design::stored_type(entity.field(piece.attribute)->type));
    if (result) {
      set = std::move(*result);
    } else if (is_change) {
      return refuse(409, fmt::format("`{}` of this {} is a list whose members cannot form a set; another program "
                                     "must change it.",
                                     piece.attribute, entity.name));
    }
  }
  set_value(action, piece.forms[1].values[0].placeholder, Value(*now));
  set_value(action, piece.forms[1].values[1].placeholder, set);
  return {};
}

}  // namespace

// Chooses the form of a least or greatest value. If the value that goes away was the figure, reads the new one from the
// remaining items. They are read after the target was, and the condition on its revision ensures that nothing has been
// counted since.
static Outcome<void> choose_extreme(WriteAction& action, size_t piece, const std::optional<ItemView>& old,
                                    const ReadExtreme& read) {
  const Request& request = action.prepared->request;
  const Piece& planned = request.pieces[piece];
  const WriteAction::Extreme& extreme = *action.extreme_of(piece);
  const auto next = extreme.change.next(old ? old->find(planned.attribute) : std::nullopt);
  if (next != ExtremeChange::Next::kRead || planned.forms.size() < 4) {
    action.chosen[piece] = next == ExtremeChange::Next::kStay ? 1 : 0;
    return {};
  }
  const design::Field& revision = *design::revision_of(*request.entity);
  const auto found = old ? old->find(revision.name) : std::nullopt;
  set_value(action, found_revision(planned), found ? Value(*found) : Value::number(0));
  TRY_INTO(const auto left, read(action.extreme_left(extreme)));
  action.chosen[piece] = left ? 2 : 3;
  set_value(action, planned.forms[2].values[0].placeholder, left);
  return {};
}

Outcome<void> choose_forms(WriteAction& action, const std::optional<ItemView>& old, const ReadExtreme& read) {
  const auto& pieces = action.prepared->request.pieces;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].cause != design::Cause::kForm || action.chosen[i] < 0) continue;
    if (pieces[i].choice == Piece::Choice::kByExtreme) {
      TRY(choose_extreme(action, i, old, read));
      continue;
    }
    if (pieces[i].choice == Piece::Choice::kBySet || pieces[i].choice == Piece::Choice::kByList)
      TRY(set_of_list(pieces[i], action, old));
    action.chosen[i] = fitting_form(pieces[i], action, old);
    if (changes_member(pieces[i])) fit_room(action, i, old);
  }
  for (WriteAction& part : action.parts) TRY(choose_forms(part, old, read));
  return {};
}

Outcome<void> complete_figures(const design::Design& design, WriteAction& put, const ReadExtreme& read) {
  for (const WriteAction::ExtremeLeft& extreme : put.extremes_left) {
    TRY_INTO(const auto left, read(extreme));
    ItemEditor editor(put.item);
    if (left)
      editor.set(extreme.figure->figure.field, *left);
    else
      editor.remove(extreme.figure->figure.field);
    put.item = editor.build();
  }
  const design::Entity& entity = *put.prepared->request.entity;
  for (const std::string& name : put.figures) {
    const design::Field* field = entity.field(name);
    if (field == nullptr) continue;
    const auto value = put.item.find(name);
    Plain figure;
    if (value) {
      auto fits = field->counter ? Outcome<Plain>(to_plain(*value))
                                 : convert_to_type(design, field->type, to_plain(*value), name);
      if (!fits) return std::unexpected(refused_by(nullptr, design::Cause::kRange, &entity));
      figure = std::move(*fits);
    }
    put.fields.set(name, std::move(figure));
  }
  return {};
}

namespace {

// An item's own request and the requests that follow from it.
std::span<const Request> group_of(std::span<const Request> requests, const Request& request) {
  const auto at = static_cast<size_t>(&request - requests.data());
  size_t begin = at, end = at + 1;
  while (begin > 0 && !is_own(requests[begin])) --begin;
  while (end < requests.size() && !is_own(requests[end])) ++end;
  return requests.subspan(begin, end - begin);
}

// Puts the guard of the new value, or deletes that of the old one. If both are the same item, it is put again or
// stays as it is (Request::puts_again).
Outcome<void> add_guard(const RequestParts& parts, const PreparedPlan& plan, std::span<const Request> requests,
                        const PreparedRequest& prepared, const WriteAction& own, std::vector<WriteAction>& actions) {
  const Request& request = prepared.request;
  const bool old = request.follows == Request::Follows::kOldValue;
  // An item that did not exist has no guard.
  if (old && !own.prepared->current.empty() && !parts.state.was_found(own.prepared->current)) return {};
  TRY_INTO(Plain fields, fields_of(parts, prepared, old ? nullptr : &own.fields));
  TRY_INTO(auto action, action_of(parts, prepared, std::move(fields)));
  if (!action) return {};
  const bool refreshes = request.kind == RequestKind::kUpdateItem;
  // Find the counterpart: the same guard's request for the other value.
  for (const Request& other : requests) {
    if (refreshes && other.guard == request.guard && other.kind == RequestKind::kDeleteItem) {
      const PreparedRequest& removal = plan.of(other);
      TRY_INTO(Plain old_fields, fields_of(parts, removal));
      TRY_INTO(const auto old_key, key_of(parts, removal, old_fields));
      if (!old_key || *old_key != action->key) return {};  // the guard is replaced
    }
    if (refreshes || other.kind == RequestKind::kUpdateItem) continue;
    if (other.guard != request.guard || &other == &request || other.follows == request.follows ||
        other.guard == nullptr)
      continue;
    const PreparedRequest& counterpart = plan.of(other);
    TRY_INTO(Plain counterpart_fields, fields_of(parts, counterpart, old ? &own.fields : nullptr));
    TRY_INTO(const auto key, key_of(parts, counterpart, counterpart_fields));
    if (!key || *key != action->key) continue;
    if (!request.puts_again) return {};
  }
  actions.push_back(std::move(*action));
  return {};
}

// The children of an owner by member, each with the key that `prepared` gives it.
struct ChildKeys {
  Plain::List members;
  std::vector<std::optional<Item>> keys;

  const std::optional<Item>* find(const Plain& member) const {
    const auto at = std::ranges::find(members, member);
    return at == members.end() ? nullptr : &keys[static_cast<size_t>(at - members.begin())];
  }
};

Outcome<ChildKeys> child_keys(const RequestParts& parts, const PreparedRequest& prepared, const Plain* owner,
                              const Plain::List& members) {
  ChildKeys children;
  for (const Plain& member : members) {
    if (list_contains(children.members, member)) continue;
    TRY_INTO(const Plain fields, fields_of(parts, prepared, owner, &member));
    TRY_INTO(auto key, key_of(parts, prepared, fields));
    children.members.push_back(member);
    children.keys.push_back(std::move(key));
  }
  return children;
}

// Adds an action for each child that is put, updated or deleted: there is one child per member of the field. A child
// stays if its member and its key do.
Outcome<void> add_children(const RequestParts& parts, const PreparedPlan& plan, std::span<const Request> requests,
                           const PreparedRequest& prepared, const WriteAction& own, std::vector<WriteAction>& actions) {
  const Request& request = prepared.request;
  const design::Each& each = *request.each;
  const std::string& current = own.prepared->current;
  const Plain* before = current.empty() ? nullptr : parts.name(current);
  const bool deleted = own.kind == RequestKind::kDeleteItem;
  const bool old = request.follows == Request::Follows::kOldValue;
  // Children that stay are updated if the write changes fields that they copy. If the stored owner has expired, its
  // children may have expired too, so all are put again.
  const bool updates = request.kind == RequestKind::kUpdateItem;
  const bool anew = own.kind == RequestKind::kPutItem && was_expired(parts.state, *own.prepared);
  if (updates && (anew || !parts.state.was_found(current))) return {};
  // The requests that give children their old and new keys. If the write changes no key of a child, there is one.
  const PreparedRequest* of_old = &prepared;
  const PreparedRequest* of_new = &prepared;
  for (const Request& other : requests) {
    if (other.each == &each) (other.follows == Request::Follows::kOldValue ? of_old : of_new) = &plan.of(other);
  }
  TRY_INTO(
      const ChildKeys had,
      child_keys(parts, *of_old, before, before == nullptr ? Plain::List() : elements_of(before->member(each.field))));
  TRY_INTO(const ChildKeys has, child_keys(parts, *of_new, &own.fields,
                                           deleted ? Plain::List() : elements_of(own.fields.member(each.field))));
  // Different members may have the same key if the key's template normalizes them.
  for (size_t i = 0; i < has.keys.size(); ++i) {
    if (has.keys[i] &&
        std::find(has.keys.begin() + static_cast<ptrdiff_t>(i) + 1, has.keys.end(), has.keys[i]) != has.keys.end())
      return std::unexpected(refused_inputs(
          {{.field = each.field, .reason = "has two members that differ only in how they are written"}}));
  }
  for (const Plain& member : old ? had.members : has.members) {
    const auto* const old_key = had.find(member);
    const auto* const new_key = has.find(member);
    const bool stays = old_key != nullptr && new_key != nullptr && *old_key == *new_key && (old || !anew);
    if (stays != updates) continue;
    TRY_INTO(Plain fields, fields_of(parts, prepared, old ? before : &own.fields, &member));
    TRY_INTO(auto action, action_of(parts, prepared, std::move(fields)));
    if (!action || (old && std::ranges::find(has.keys, std::optional(action->key)) != has.keys.end())) continue;
    actions.push_back(std::move(*action));
  }
  return {};
}

// Whether a field on which the tally depends has a new value.
bool changes_tally(const RequestParts& parts, const design::Tally& tally, const Plain& before, const Plain& after) {
  const design::Entity& of = *parts.design.entity(tally.of);
  std::set<std::string> fields;
  const auto look_at = [&](const design::Binding& binding) {
    fields.merge(design::fields_in(of, binding.value));
    if (binding.element) fields.merge(design::fields_in(of, *binding.element));
  };
  for (const design::Binding& by : tally.by) look_at(by);
  design::each_figure(tally, look_at);
  if (tally.when) fields.merge(design::fields_in(of, *tally.when));
  return std::ranges::any_of(fields, [&](const std::string& name) {
    const Plain& a = before.member(name);
    const Plain& b = after.member(name);
    return a.exists() != b.exists() || (a.exists() && !(a == b));
  });
}

Outcome<void> add_tally(const RequestParts& parts, const PreparedRequest& prepared, const WriteAction& own,
                        std::vector<WriteAction>& actions) {
  const Request& request = prepared.request;
  const std::string& current = own.prepared->current;
  const Plain* before = current.empty() ? nullptr : parts.name(current);
  bool had = before != nullptr && before->exists();
  Plain now = had ? *before : Plain::map();
  // The deletion of an item that must exist subtracts amounts that depend only on its key, without reading the item.
  if (current.empty() && own.kind == RequestKind::kDeleteItem) {
    had = true;
    now = own.fields;
  }
  if (request.follows == Request::Follows::kOldValue && !had) return {};
  // If the item does not exist, the condition of its own update fails.
  const auto& refusals = own.prepared->request.refusals;
  if (!had && own.kind == RequestKind::kUpdateItem &&
      std::ranges::find(refusals, design::Cause::kAbsent, &design::Refusal::cause) != refusals.end())
    return {};
  Names change = {{"$old", now}};
  // A put replaces the whole item.
  if (own.kind == RequestKind::kPutItem) now = Plain::map();
  for (const auto& [name, value] : own.fields.members()) now.set(name, value);
  // The write removes an optional field whose new value is absent.
  for (const design::FieldValue& planned : own.prepared->request.fields) {
    if (planned.field != nullptr && planned.field->optional && own.fields.member(planned.name).is_absent())
      now.set(planned.name, Plain::null());
  }
  if (had && own.kind != RequestKind::kDeleteItem && !changes_tally(parts, *request.tally, change["$old"], now))
    return {};
  change["$new"] = std::move(now);
  const RequestParts inner = parts.with(change);
  if (request.when) {
    TRY_INTO(const bool takes_part, holds(*request.when, inner.scope()));
    if (!takes_part) return {};
  }
  TRY_INTO(Plain fields, fields_of(inner, prepared));
  TRY_INTO(auto action, action_of(inner, prepared, std::move(fields)));
  if (!action) return {};
  for (WriteAction::Extreme& extreme : action->extremes) extreme.rows = {own.key.bytes()};
  for (WriteAction& other : actions) {
    if (other.prepared != nullptr && other.prepared->request.tally != nullptr && other.table == action->table &&
        other.key == action->key && merge_tally(other, *action))
      return {};
  }
  actions.push_back(std::move(*action));
  return {};
}

}  // namespace

Outcome<void> add_actions(const RequestParts& parts, const PreparedPlan& plan, std::span<const Request> requests,
                          std::vector<WriteAction>& actions) {
  std::optional<WriteAction> own;  // the action that the next guards, children and tallies follow from
  size_t own_at = 0;               // its index in `actions`
  for (const Request& request : requests) {
    const PreparedRequest& prepared = plan.of(request);
    if (request.table == design::kJournalTable) {
      actions.push_back({.prepared = nullptr, .kind = request.kind, .table = request.table});
      continue;
    }
    if (is_own(request)) {
      own.reset();
      if (request.when) {
        TRY_INTO(const bool takes_part, holds(*request.when, parts.scope()));
        if (!takes_part) continue;
      }
      if (request.holds) {
        TRY_INTO(const bool allowed, holds(*request.holds, parts.scope()));
        const auto refusal = std::ranges::find(request.refusals, design::Cause::kCondition, &design::Refusal::cause);
        if (!allowed)
          return std::unexpected(refused_by(refusal == request.refusals.end() ? nullptr : &*refusal,
                                            design::Cause::kCondition, request.entity));
      }
      TRY_INTO(Plain fields, fields_of(parts, prepared));
      TRY(check_id_times(parts, request, fields));
      TRY(start_epochs_late(parts, request, fields));
      TRY_INTO(auto action, action_of(parts, prepared, std::move(fields)));
      if (!action) return refuse(400, fmt::format("The key of {} lacks a value.", request.entity->name));
      if (&request != &requests.back()) own = *action;
      own_at = actions.size();
      actions.push_back(std::move(*action));
      continue;
    }
    if (!own) continue;
    const size_t before = actions.size();
    if (request.guard != nullptr) TRY(add_guard(parts, plan, group_of(requests, request), prepared, *own, actions));
    if (request.each != nullptr) TRY(add_children(parts, plan, group_of(requests, request), prepared, *own, actions));
    WriteAction::Followers& followers = actions[own_at].followers;
    if (actions.size() > before) followers = WriteAction::Followers::kChange;
    if (request.tally == nullptr) continue;
    followers = std::max(followers, followers_by(*request.tally, *own));
    TRY(add_tally(parts, prepared, *own, actions));
  }
  std::erase_if(actions, is_idle);
  return {};
}

}  // namespace trestle::runtime
