// Decides which requests of a write take part, with which values and forms.
#include <fmt/format.h>

#include <algorithm>

#include "design/plan/stored_attributes.h"
#include "model/number.h"
#include "runtime/call/execution.h"
#include "runtime/expressions/comparison.h"
#include "runtime/requests/merge_actions.h"
#include "runtime/values/typed_value.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {

using design::Form;
using design::Piece;
using design::PlanStep;
using design::Request;
using design::RequestKind;
using design::Section;

namespace {

bool has_values(const Form& form, const WriteAction& action) {
  return std::all_of(form.values.begin(), form.values.end(),
                     [&](const design::PlannedValue& value) { return action.value(value.placeholder) != nullptr; });
}

bool is_greatest(const Request& request, const Piece& piece) {
  const auto is_it = [&](const design::TallyExtreme& one) { return one.figure.field == piece.attribute; };
  const auto found = std::ranges::find_if(request.tally->extremes, is_it);
  return found != request.tally->extremes.end() && found->greatest;
}

bool contains(const Plain::List& list, const Plain& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

}  // namespace

// The action with its values and the forms that a first try takes; nothing if its key lacks a value.
Outcome<std::optional<WriteAction>> Execution::action_of(const PreparedRequest& prepared, Plain fields) {
  const Request& request = prepared.request;
  WriteAction action{.prepared = &prepared, .kind = request.kind, .table = request.table};
  TRY_INTO(auto key, key_of(prepared, fields));
  if (!key) return std::nullopt;
  action.key = std::move(*key);
  if (request.kind == RequestKind::kPutItem) {
    std::vector<Value> values;
    values.reserve(request.item.size());
    std::vector<Field> attributes;
    for (const design::PlannedValue& planned : request.item) {
      TRY_INTO(auto value, value_of(prepared, planned.source, fields));
      if (!value) continue;
      values.push_back(std::move(*value));
      attributes.push_back({planned.placeholder, values.back().view()});
    }
    action.item = Item(std::move(attributes));
    TRY(put_extras(request, action, fields));
  }
  for (const Piece& piece : request.pieces) {
    if (!is_given(piece.given)) continue;
    for (const Form& form : piece.forms) {
      for (const design::PlannedName& name : form.names) {
        if (!name.member) continue;
        TRY_INTO(std::string value, member_name(*name.member, fields));
        action.members.emplace_back(name.placeholder, std::move(value));
      }
      for (const design::PlannedValue& planned : form.values) {
        const auto same = [&](const auto& one) { return one.first == planned.placeholder; };
        if (std::any_of(action.values.begin(), action.values.end(), same)) continue;
        if (piece.cause == design::Cause::kObserved) {
          if (auto read = stored_value(request.current, form.names[0].attribute)) {
            action.values.emplace_back(planned.placeholder, std::move(*read));
            continue;
          }
        }
        TRY_INTO(auto value, value_of(prepared, planned.source, fields, form.section));
        action.values.emplace_back(planned.placeholder, std::move(value));
      }
    }
  }
  action.fields = std::move(fields);
  action.chosen.assign(request.pieces.size(), -1);
  for (size_t i = 0; i < request.pieces.size(); ++i) {
    const Piece& piece = request.pieces[i];
    if (!is_given(piece.given)) continue;
    if (piece.choice == Piece::Choice::kByValue) {
      action.chosen[i] = has_values(piece.forms[0], action) ? 0 : piece.forms.size() > 1 ? 1 : -1;
    } else if (piece.choice == Piece::Choice::kByExtreme) {
      WriteAction::Extreme extreme{.piece = i, .change = {.greatest = is_greatest(request, piece)}, .rows = {}};
      const bool old = request.follows == Request::Follows::kOldValue;
      const Value* value = action.value(piece.forms[old ? 1 : 0].values[0].placeholder);
      // A figure that never comes back has no more forms.
      if (value != nullptr && (!old || piece.forms.size() > 2)) (old ? extreme.change.was : extreme.change.is) = *value;
      action.extremes.push_back(std::move(extreme));
      start_extreme(action, i);
    } else if (piece.choice == Piece::Choice::kByItem) {
      action.chosen[i] = was_there(request.current) ? 0 : 1;
    } else {
      // Nothing can be set to or added that is not there.
      const bool writes = piece.forms[0].section != Section::kNone;
      action.chosen[i] = writes && !has_values(piece.forms[0], action) ? -1 : 0;
    }
  }
  // What is set or removed as a whole is no list any more.
  for (size_t i = 0; i < request.pieces.size(); ++i) {
    if (request.pieces[i].choice != Piece::Choice::kByList) continue;
    for (size_t j = 0; j < request.pieces.size(); ++j) {
      if (j == i || action.chosen[j] < 0) continue;
      const Form& form = request.pieces[j].forms[static_cast<size_t>(action.chosen[j])];
      if (form.section != Section::kNone && form.names[0].attribute == request.pieces[i].attribute)
        action.chosen[i] = -1;
    }
  }
  return action;
}

namespace {

// The item has a list where the design has a set: the list, and what the change makes of it, as a set.
Outcome<void> set_of_list(const Piece& piece, WriteAction& action, const std::optional<ItemView>& old) {
  const auto now = old ? old->find(piece.attribute) : std::nullopt;
  const bool is_change = piece.choice == Piece::Choice::kBySet;
  const Value* change = is_change ? action.value(piece.forms[0].values[0].placeholder) : nullptr;
  if (!now || now->type() != ValueType::kList || (is_change && change == nullptr)) return {};
  const Plain::List members = elements_of(to_plain(*now));
  const Plain::List changed = is_change ? elements_of(to_plain(*change)) : Plain::List();
  Plain::List left;
  const bool adds = piece.forms[0].section == Section::kAdd;
  for (const Plain& member : members) {
    if (adds || !contains(changed, member)) left.push_back(member);
  }
  if (adds) left.insert(left.end(), changed.begin(), changed.end());
  std::optional<Value> set;
  if (!left.empty()) {
    const design::Entity& entity = *action.prepared->request.entity;
    auto made = to_value(Plain::set(std::move(left)), design::stored_type(entity.field(piece.attribute)->type));
    if (made) {
      set = std::move(*made);
    } else if (is_change) {
      return refuse(409, fmt::format("`{}` of this {} is a list whose members cannot be those of a set; another "
                                     "program must change it.",
                                     piece.attribute, entity.name));
    }
  }
  const auto put = [&](std::string_view placeholder, std::optional<Value> value) {
    for (auto& [name, known] : action.values) {
      if (name == placeholder) known = std::move(value);
    }
  };
  put(piece.forms[1].values[0].placeholder, Value(*now));
  put(piece.forms[1].values[1].placeholder, std::move(set));
  return {};
}

}  // namespace

// The figure is as extreme as what went: what the items have that are left takes its place. They are read after the
// item was, and its revision shows that none was counted since.
Outcome<void> Execution::choose_extreme(WriteAction& action, size_t piece, const std::optional<ItemView>& old) {
  const Request& request = action.prepared->request;
  const Piece& planned = request.pieces[piece];
  const WriteAction::Extreme& extreme = *action.extreme_of(piece);
  const ExtremeChange& change = extreme.change;
  const auto next = change.next(old ? old->find(planned.attribute) : std::nullopt);
  if (next != ExtremeChange::Next::kRead || planned.forms.size() < 4) {
    action.chosen[piece] = next == ExtremeChange::Next::kStay ? 1 : 0;
    return {};
  }
  const auto put = [&](std::string_view placeholder, std::optional<Value> value) {
    for (auto& [name, known] : action.values) {
      if (name == placeholder) known = std::move(value);
    }
  };
  const design::Field& revision = *design::revision_of(*request.entity);
  const auto found = old ? old->find(revision.name) : std::nullopt;
  put(":found", found ? Value(*found) : Value::number(0));
  ItemForm form(core_.design, core_.database, core_.codec);
  const ExtremeQuery query{
      .design = core_.design, .codec = core_.codec, .form = form, .send = [this](QueryRequest& one) {
        return send(&Database::query, one);
      }};
  const auto& extremes = request.tally->extremes;
  const auto figure = std::ranges::find_if(
      extremes, [&](const design::TallyExtreme& one) { return one.figure.field == planned.attribute; });
  TRY_INTO(auto left, query.read(*request.tally, *figure, action.fields, action.key, extreme.rows, now_ms_));
  keep_extreme(change.greatest, left, change.is);
  action.chosen[piece] = left ? 2 : 3;
  put(planned.forms[2].values[0].placeholder, std::move(left));
  return {};
}

// After a failure the item is known, and each piece takes the form that fits it.
Outcome<void> Execution::choose_forms(WriteAction& action, const std::optional<ItemView>& old) {
  const auto& pieces = action.prepared->request.pieces;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].cause != design::Cause::kForm || action.chosen[i] < 0) continue;
    if (pieces[i].choice == Piece::Choice::kByExtreme) {
      TRY(choose_extreme(action, i, old));
      continue;
    }
    if (pieces[i].choice == Piece::Choice::kBySet || pieces[i].choice == Piece::Choice::kByList)
      TRY(set_of_list(pieces[i], action, old));
    action.chosen[i] = fitting_form(pieces[i], action, old);
  }
  for (WriteAction& part : action.parts) TRY(choose_forms(part, old));
  return {};
}

Outcome<void> Execution::finish(WriteAction& action) {
  if (action.prepared == nullptr) return {};
  const auto text = action.prepared->text(action.chosen);
  action.update = text->text.update;
  action.condition = text->text.condition;
  NameMap names = text->names;
  for (const auto& [placeholder, member] : text->members) {
    for (const auto& [name, value] : action.members) {
      if (name == placeholder) names.emplace_back(placeholder, value);
    }
  }
  ValueMap values;
  for (const design::PlannedValue& planned : text->text.values) {
    const Value* value = action.value(planned.placeholder);
    values.emplace_back(planned.placeholder, value == nullptr ? Value::null() : *value);
  }
  append_additions(action, names, values);
  append_unchanged(action, names, values);
  TRY(update_extras(action, names, values));
  action.placeholders.names.reset();
  action.placeholders.values.reset();
  if (!names.empty()) action.placeholders.names = std::move(names);
  if (!values.empty()) action.placeholders.values = std::move(values);
  for (size_t i = 0; i < action.parts.size(); ++i) {
    TRY(finish(action.parts[i]));
    append_part(action, action.parts[i], i + 1);
  }
  return {};
}

// Whether the item that the step read exists.
bool Execution::was_there(const std::string& step) const {
  const auto found = step.empty() ? names_.end() : names_.find(step);
  return found != names_.end() && found->second.exists();
}

// Whether the item that the step read had expired, and was only waiting to be removed.
bool Execution::was_expired(const PreparedRequest& prepared) const {
  const auto found = stored_.find(prepared.current);
  if (found == stored_.end() || prepared.table == nullptr || !prepared.request.entity->ttl) return false;
  const auto ttl = found->second.find(prepared.table->ttl_attribute);
  return ttl && ttl->type() == ValueType::kNumber &&
         compare_numbers(ttl->scalar(), std::to_string(now_ms_ / 1000)) <= 0;
}

// The attribute as the step read it; nothing if it had none, or is not known any more.
std::optional<Value> Execution::stored_value(const std::string& step, std::string_view attribute) const {
  const auto found = stored_.find(step);
  if (found == stored_.end()) return std::nullopt;
  const auto value = found->second.find(attribute);
  if (!value) return std::nullopt;
  return Value(*value);
}

// A guard of the new value is put, that of the old one deleted; where they are the same item nothing changes, but
// that an item which is replaced whole may not have had it yet.
Done<void> Execution::add_guard(const PreparedRequest& prepared, const std::vector<Request>& requests,
                                const WriteAction& own, std::vector<WriteAction>& actions) {
  const Request& request = prepared.request;
  const bool old = request.follows == Request::Follows::kOldValue;
  // An item that did not exist has no guard.
  if (old && !own.prepared->current.empty() && !was_there(own.prepared->current)) return {};
  TRY_INTO(Plain fields, fields_of(prepared, old ? nullptr : &own.fields));
  TRY_INTO(auto action, action_of(prepared, std::move(fields)));
  if (!action) return {};
  // An unchanged guard is refreshed; the key of a changed one has no value.
  const bool stays = request.kind == RequestKind::kUpdateItem;
  // Its counterpart: the same guard's request for the other value.
  for (const Request& other : requests) {
    if (stays || other.kind == RequestKind::kUpdateItem) continue;
    if (other.guard != request.guard || &other == &request || other.follows == request.follows ||
        other.guard == nullptr)
      continue;
    const PreparedRequest& counterpart = prepared_.of(other);
    TRY_INTO(Plain its_fields, fields_of(counterpart, old ? &own.fields : nullptr));
    TRY_INTO(const auto key, key_of(counterpart, its_fields));
    if (!key || *key != action->key) continue;
    if (own.kind == RequestKind::kUpdateItem || old) return {};
  }
  actions.push_back(std::move(*action));
  return {};
}

// One child per added or removed member.
Done<void> Execution::add_children(const PreparedRequest& prepared, const WriteAction& own,
                                   std::vector<WriteAction>& actions) {
  const design::Each& each = *prepared.request.each;
  const std::string& current = own.prepared->current;
  const auto before = current.empty() ? names_.end() : names_.find(current);
  const bool deleted = own.kind == RequestKind::kDeleteItem;
  const Plain::List had = before == names_.end() ? Plain::List() : elements_of(before->second.member(each.field));
  const Plain::List has = deleted ? Plain::List() : elements_of(own.fields.member(each.field));
  const bool old = prepared.request.follows == Request::Follows::kOldValue;
  // Those that stay are updated in what they copy, if the write changes any of that. Children of an item that has
  // expired may have expired with it: all are put anew.
  const bool stay = prepared.request.kind == RequestKind::kUpdateItem;
  const bool anew = own.kind == RequestKind::kPutItem && was_expired(*own.prepared);
  if (stay && (anew || !was_there(current))) return {};
  // Members that differ may have one key, where its template folds them.
  std::vector<Item> keys;
  Plain::List known;
  for (const Plain& member : has) {
    if (contains(known, member)) continue;
    known.push_back(member);
    TRY_INTO(const Plain fields, fields_of(prepared, &own.fields, &member));
    TRY_INTO(auto key, key_of(prepared, fields));
    if (!key) continue;
    if (std::ranges::find(keys, *key) != keys.end())
      return std::unexpected(Stop(refused_inputs(
          {{.field = each.field, .reason = "has two members that are one, but for how they are written"}})));
    keys.push_back(std::move(*key));
  }
  Plain::List done;
  for (const Plain& member : old ? had : has) {
    const bool in_both = contains(old ? has : had, member) && (old || !anew);
    if (in_both != stay || contains(done, member)) continue;
    done.push_back(member);
    TRY_INTO(Plain fields, fields_of(prepared, &own.fields, &member));
    TRY_INTO(auto action, action_of(prepared, std::move(fields)));
    if (!action || (old && std::ranges::find(keys, action->key) != keys.end())) continue;
    actions.push_back(std::move(*action));
  }
  return {};
}

Done<void> Execution::add_tally(const PreparedRequest& prepared, const WriteAction& own,
                                std::vector<WriteAction>& actions) {
  const Request& request = prepared.request;
  const std::string& current = own.prepared->current;
  const auto before = current.empty() ? names_.end() : names_.find(current);
  bool had = before != names_.end() && before->second.exists();
  Plain now = had ? before->second : Plain::map();
  // The deletion of an item that must exist subtracts the amounts that depend on its key only, without reading it.
  if (current.empty() && own.kind == RequestKind::kDeleteItem) {
    had = true;
    now = own.fields;
  }
  if (request.follows == Request::Follows::kOldValue && !had) return {};
  // An update of an item that is not there is refused by its own condition.
  const auto& refusals = own.prepared->request.refusals;
  if (!had && own.kind == RequestKind::kUpdateItem &&
      std::ranges::find(refusals, design::Cause::kAbsent, &design::Refusal::cause) != refusals.end())
    return {};
  names_["old"] = now;
  // A put replaces the whole item.
  if (own.kind == RequestKind::kPutItem) now = Plain::map();
  for (const auto& [name, value] : own.fields.members()) now.set(name, value);
  names_["new"] = std::move(now);
  const auto counted = [&]() -> Outcome<std::optional<WriteAction>> {
    if (request.when) {
      TRY_INTO(const bool part, holds(*request.when, scope()));
      if (!part) return std::nullopt;
    }
    TRY_INTO(Plain fields, fields_of(prepared));
    return action_of(prepared, std::move(fields));
  };
  auto action = counted();
  names_.erase("new");
  names_.erase("old");
  if (!action) return std::unexpected(Stop(action.error()));
  if (!*action) return {};
  for (WriteAction::Extreme& extreme : (*action)->extremes) extreme.rows = {own.key.bytes()};
  for (WriteAction& other : actions) {
    if (other.prepared != nullptr && other.prepared->request.tally != nullptr && other.table == (*action)->table &&
        other.key == (*action)->key && merge_tally(other, **action))
      return {};
  }
  actions.push_back(std::move(**action));
  return {};
}

// With epochs, an item's shard is the one of its id's own time. A new epoch begins `lead` after it is set and is
// known to every writer after half of that; so an id that is dated further ahead could be put where nobody will look
// for it.
Outcome<void> Execution::check_times(const Request& request, const Plain& fields) const {
  if (request.kind != RequestKind::kPutItem || request.entity == nullptr) return {};
  for (const design::Shard& shard : request.entity->shards) {
    const Plain& of = fields.member(shard.of);
    if (shard.epochs_field.empty() || !of.is(Plain::Kind::kText)) continue;
    const auto time = ulid_time(of.string());
    if (!time) continue;
    if (*time <= now_ms_ + shard.lead_s * 500) {
      int64_t newest = core_.newest_id_ms.load();
      while (newest < *time && !core_.newest_id_ms.compare_exchange_weak(newest, *time)) {
      }
      continue;
    }
    return std::unexpected(refused_inputs({{.field = shard.of, .reason = "is dated in the future"}}));
  }
  return {};
}

// A new epoch of shards begins after the one before it and after every id given out, also where the clock was set
// back since: otherwise ids of that time would be looked for in the shards of the new epoch.
Outcome<void> Execution::start_epochs_late(const Request& request, Plain& fields) const {
  if (request.entity == nullptr || request.kind == RequestKind::kDeleteItem) return {};
  for (const design::Entity& entity : core_.design.entities) {
    for (const design::Shard& shard : entity.shards) {
      if (shard.epochs_entity != request.entity->name || !fields.member(shard.epochs_field).is(Plain::Kind::kList))
        continue;
      Plain list = fields.member(shard.epochs_field);
      Plain::List& epochs = list.elements();
      if (epochs.empty() || !epochs.back().is(Plain::Kind::kMap)) continue;
      const auto from = time_of(epochs.back().member("from"));
      // What was set before stays as it is.
      if (!from || *from <= now_ms_) continue;
      int64_t earliest = core_.newest_id_ms.load() + 1;
      for (size_t i = 0; i + 1 < epochs.size(); ++i)
        earliest = std::max(earliest, time_of(epochs[i].member("from")).value_or(0) + 1);
      if (*from >= earliest) continue;
      epochs.back().set("from", Plain::moment((earliest + 999) / 1000 * 1000));
      const design::Field* field = request.entity->field(shard.epochs_field);
      TRY_INTO(list, shaped(core_.design, field->type, std::move(list), field->name));
      fields.set(shard.epochs_field, std::move(list));
    }
  }
  return {};
}

Done<std::vector<WriteAction>> Execution::actions_of(const std::vector<Request>& requests, size_t first) {
  std::vector<WriteAction> actions;
  TRY(add_actions(requests, first, actions));
  return actions;
}

Done<void> Execution::add_actions(const std::vector<Request>& requests, size_t first,
                                  std::vector<WriteAction>& actions) {
  std::optional<WriteAction> own;  // what guards, children and tallies follow
  for (size_t at = first; at < requests.size(); ++at) {
    const Request& request = requests[at];
    const PreparedRequest& prepared = prepared_.of(request);
    if (request.table == design::kJournalTable) {
      TRY_INTO(auto action, journal_action(prepared));
      actions.push_back(std::move(action));
      continue;
    }
    if (is_own(request)) {
      own.reset();
      if (request.when) {
        TRY_INTO(const bool part, holds(*request.when, scope()));
        if (!part) continue;
      }
      if (request.holds) {
        TRY_INTO(const bool allowed, holds(*request.holds, scope()));
        const auto refusal = std::ranges::find(request.refusals, design::Cause::kCondition, &design::Refusal::cause);
        if (!allowed)
          return stopped(refusal == request.refusals.end() ? nullptr : &*refusal, design::Cause::kCondition,
                         request.entity);
      }
      TRY_INTO(Plain fields, fields_of(prepared));
      TRY(check_times(request, fields));
      TRY(start_epochs_late(request, fields));
      TRY_INTO(auto action, action_of(prepared, std::move(fields)));
      if (!action) {
        Refused refused{.status = 400, .message = fmt::format("The key of {} lacks a value.", request.entity->name)};
        return std::unexpected(Stop(std::move(refused)));
      }
      if (at + 1 < requests.size()) own = *action;
      actions.push_back(std::move(*action));
      continue;
    }
    if (!own) continue;
    if (request.guard != nullptr) TRY(add_guard(prepared, requests, *own, actions));
    if (request.each != nullptr) TRY(add_children(prepared, *own, actions));
    if (request.tally != nullptr) TRY(add_tally(prepared, *own, actions));
  }
  return {};
}

}  // namespace trestle::runtime
