// Plans the requests that accompany a write in its transaction: guards, children, tallies; and computes their cost.
#include <fmt/format.h>

#include <algorithm>

#include "design/plan/write/plan_write_item.h"
#include "design/plan/write/plan_write_pieces.h"

namespace trestle::design {

using Kind = Expression::Kind;

Request WritePlanner::guard_request(const Guard& guard, RequestKind kind, bool old) const {
  Request request{.kind = kind, .entity = &entity_, .guard = &guard, .table = entity_.table};
  request.when = write_.when;
  request.follows = old ? Request::Follows::kOldValue : Request::Follows::kNewValue;
  request.puts_again = kind == RequestKind::kPutItem && write_.kind != Write::Kind::kUpdate;
  if (old && observes()) request.current = scope_.current;
  fill_fields(request, old);
  key_of(request, guard.key);
  request.shard = nullptr;
  for (const std::string& name : fields_of(entity_, guard.key)) {
    const Field* field = entity_.field(name);
    if (field != nullptr && field->optional) request.while_field = field;
  }
  request.bytes = guard_bytes(design_, entity_, guard);
  request.cost.write = write_units(request.bytes);
  if (request.while_field != nullptr || write_.kind == Write::Kind::kUpdate) {
    request.times_least = 0;
    // If the field is required and always set, the guard is always replaced.
    const bool always = request.while_field == nullptr && trigger_inputs_of(fields_of(entity_, guard.key)).empty();
    request.times_typical = always ? 1 : 0;
  }
  if (table_ == nullptr) return request;
  Namer namer;
  Form form;
  if (kind == RequestKind::kDeleteItem) {
    // The guard is deleted only if it names this item: another item may have taken it over after it expired.
    form.condition = own_condition(guard, form, namer);
    request.pieces.push_back({.forms = {std::move(form)}, .cause = Cause::kGuard});
    return request;
  }
  const std::string key = namer.name(table_->key.hash[0].name, form.names);
  form.condition = fmt::format("attribute_not_exists({})", key);
  if (entity_.ttl && !table_->ttl_attribute.empty()) {
    ValueSource now{.kind = ValueSource::Kind::kExpiry};
    now.expression = name_expression("now");
    now.stored = ValueType::kNumber;
    form.condition += fmt::format(" OR {} <= {}", namer.name(table_->ttl_attribute, form.names),
                                  namer.value("now", std::move(now), form.values));
  }
  if (write_.kind == Write::Kind::kUpsert ||
      (write_.kind == Write::Kind::kPut && write_.exists != Write::Exists::kAbsent)) {
    // The guard may already belong to this owner.
    form.condition += fmt::format(" OR ({})", own_condition(guard, form, namer));
  }
  request.pieces.push_back({.forms = {std::move(form)}, .cause = Cause::kGuard});
  request.refusals.push_back(
      {.cause = Cause::kGuard, .status = 409, .message = fmt::format("This {} is taken.", guard.name)});
  request.item = request.key;
  if (!table_->type_attribute.empty())
    request.item.push_back({table_->type_attribute, value_of(text_expression(guard.type))});
  const auto add = [&](const std::string& attribute,
                       ValueSource source) {  // unless the key or a kept field is stored in it
    if (std::ranges::find(request.item, attribute, &PlannedValue::placeholder) == request.item.end())
      request.item.push_back({attribute, std::move(source)});
  };
  for (const std::string& name : guard.keeps) {
    if (const Field* field = entity_.field(name))
      add(entity_.guard_attribute(*table_, guard, name), value_of(name_expression(name), field));
  }
  if (entity_.ttl && !table_->ttl_attribute.empty()) add(table_->ttl_attribute, expiry_of(*entity_.ttl));
  return request;
}

// The condition that the guard names this item as its owner.
std::string WritePlanner::own_condition(const Guard& guard, Form& form, Namer& namer) const {
  std::string own;
  for (const std::string& name : fields_of(entity_, entity_.key)) {
    own += (own.empty() ? "" : " AND ") +
           fmt::format("{} = {}", namer.name(entity_.guard_attribute(*table_, guard, name), form.names),
                       namer.value(name, value_of(name_expression(name), entity_.field(name)), form.values));
  }
  return own;
}

// Refreshes the copies of fields in a guard whose key is unchanged. The runtime does not send it if the guard is
// replaced, or if nothing was read because nothing changes.
Request WritePlanner::refresh_guard_request(const Guard& guard) const {
  Request request{.kind = RequestKind::kUpdateItem, .entity = &entity_, .guard = &guard, .table = entity_.table};
  request.when = write_.when;
  request.follows = Request::Follows::kOldValue;
  if (observes()) request.current = scope_.current;
  fill_fields(request, false);
  key_of(request, guard.key);
  request.shard = nullptr;
  request.bytes = guard_bytes(design_, entity_, guard);
  request.cost.write = write_units(request.bytes);
  for (const std::string& name : fields_of(entity_, guard.key)) {
    const Field* field = entity_.field(name);
    if (field != nullptr && field->optional) request.while_field = field;
  }
  const auto changed = changed_copies(guard);
  request.times_least = 0;
  request.times_typical = trigger_inputs_of(changed).empty() ? 1 : 0;
  Namer namer;
  request.pieces.push_back(piece_of(present_form(table_->key.hash[0].name, namer), Cause::kObserved));
  request.refusals.push_back({.cause = Cause::kObserved, .status = 409, .retries_max = kRaceRetries});
  for (const std::string& name : guard.keeps) {
    const Field* field = entity_.field(name);
    if (field == nullptr || !changed.contains(name)) continue;
    Form set{.section = Section::kSet}, remove{.section = Section::kRemove};
    const std::string attribute = entity_.guard_attribute(*table_, guard, name);
    set.text = fmt::format("{} = {}", namer.name(attribute, set.names),
                           namer.value(name, value_of(name_expression(name), field), set.values));
    remove.text = namer.name(attribute, remove.names);
    Piece piece{.choice = field->optional ? Piece::Choice::kByValue : Piece::Choice::kOnly};
    piece.forms.push_back(std::move(set));
    if (field->optional) piece.forms.push_back(std::move(remove));
    request.pieces.push_back(std::move(piece));
  }
  const bool keeps_ttl = std::ranges::count(guard.keeps, table_->ttl_attribute) != 0;
  if (entity_.ttl && !table_->ttl_attribute.empty() && !keeps_ttl && changes(fields_of(entity_, *entity_.ttl)))
    request.pieces.push_back(expiry_piece(namer));
  return request;
}

void WritePlanner::add_guards(std::vector<Request>& requests) const {
  for (const Guard& guard : entity_.unique) {
    const bool changed = changes(fields_of(entity_, guard.key));
    const bool puts = write_.kind == Write::Kind::kPut || write_.kind == Write::Kind::kUpsert || changed;
    const bool replaces = write_.kind == Write::Kind::kPut && write_.exists != Write::Exists::kAbsent;
    if (puts) requests.push_back(guard_request(guard, RequestKind::kPutItem, false));
    if (write_.kind == Write::Kind::kDelete || replaces || replaces_expired() || changed) {
      requests.push_back(guard_request(guard, RequestKind::kDeleteItem, true));
      if (replaces || replaces_expired()) requests.back().times_least = requests.back().times_typical = 0;
    }
    if (table_ != nullptr && !changed_copies(guard).empty()) {
      requests.push_back(refresh_guard_request(guard));
      // Either replaced or refreshed, not both.
      if (changed) requests.back().times_typical = 0;
    }
  }
}

// The owner's fields that are copied to its children, except those in the children's keys, which never change.
std::set<std::string> WritePlanner::copied_fields(const Each& each) const {
  std::set<std::string> copied;
  const Entity* child = design_.entity(each.entity);
  if (child == nullptr) return copied;
  for (const Field& field : child->fields) {
    const bool own = field.automatic || field.touched || field.counter || field.revision;
    if (!own && field.name != each.member && !child->in_key(field.name) && entity_.field(field.name) != nullptr)
      copied.insert(field.name);
  }
  return copied;
}

// The owner's fields in the children's keys.
std::set<std::string> WritePlanner::child_key_fields(const Each& each) const {
  const Entity* child = design_.entity(each.entity);
  std::set<std::string> fields = child == nullptr ? std::set<std::string>() : fields_of(*child, child->key);
  std::erase_if(fields, [&](const std::string& name) { return name == each.member || entity_.field(name) == nullptr; });
  return fields;
}

// Every owner field that a new child contains.
std::set<std::string> WritePlanner::child_fields(const Each& each) const {
  std::set<std::string> fields = copied_fields(each);
  fields.merge(child_key_fields(each));
  return fields;
}

Request WritePlanner::child_request(const Each& each, RequestKind kind, bool old) const {
  const Entity& child = *design_.entity(each.entity);
  Request owner;
  fill_fields(owner, old);
  Write write;
  const bool updates = kind == RequestKind::kUpdateItem;
  write.kind = updates                         ? Write::Kind::kUpdate
               : kind == RequestKind::kPutItem ? Write::Kind::kPut
                                               : Write::Kind::kDelete;
  write.entity = child.name;
  write.exists = updates                           ? Write::Exists::kPresent
                 : write.kind == Write::Kind::kPut ? Write::Exists::kAbsent
                                                   : Write::Exists::kEither;
  for (const Field& field : child.fields) {
    std::optional<Expression> value;
    if (field.name == each.member) value = name_expression("member");
    for (const FieldValue& field_value : owner.fields) {
      if (!value && field_value.name == field.name) value = field_value.source.expression;
    }
    const bool copied = updates && copied_fields(each).contains(field.name);
    if (updates && !child.in_key(field.name) && !copied) continue;
    // A put of the owner removes its absent fields, but an update ignores an absent input. coalesce() makes the child's
    // update remove them too.
    if (copied && write_.kind == Write::Kind::kPut && value) value = call_expression("coalesce", {std::move(*value)});
    if (copied && write_.kind == Write::Kind::kPut && !value && field.optional) write.remove.push_back(field.name);
    if (!value) continue;
    auto& list = write.kind == Write::Kind::kPut || (updates && !child.in_key(field.name)) ? write.set : write.by;
    if (write.kind != Write::Kind::kDelete || child.in_key(field.name))
      list.push_back({.field = field.name, .element = {}, .value = std::move(*value), .place = each.place});
  }
  WriteScope scope = scope_;
  scope.of_owner = true;
  WritePlanner planner(scope, write, child);
  planner.observe_nothing();
  Request request = planner.own_request();
  // The child is written together with its owner, under the owner's condition. An update only requires that the child
  // exists.
  std::erase_if(request.pieces, [&](const Piece& piece) { return !updates || piece.cause == Cause::kRevision; });
  request.refusals.clear();
  request.each = &each;
  request.when = write_.when;
  request.follows = old ? Request::Follows::kOldValue : Request::Follows::kNewValue;
  const Field* field = entity_.field(each.field);
  const bool bounded = field != nullptr && field->type.max.has_value();
  request.unbounded = !bounded;
  request.times_most = bounded ? static_cast<double>(*field->type.max) : 100;
  request.times_least = 0;
  request.times_typical = std::min(request.times_most, write_.kind == Write::Kind::kUpdate ? 1.0 : kLoopTypical);
  return request;
}

void WritePlanner::add_children(std::vector<Request>& requests) const {
  for (const Each& each : entity_.eaches) {
    if (design_.entity(each.entity) == nullptr) continue;
    const bool changed = changes_.contains(each.field) || changes(child_key_fields(each));
    if (write_.kind == Write::Kind::kPut || changed)
      requests.push_back(child_request(each, RequestKind::kPutItem, false));
    if (write_.kind == Write::Kind::kDelete || replaces() || replaces_expired() || changed)
      requests.push_back(child_request(each, RequestKind::kDeleteItem, true));
    const auto copied = copied_fields(each);
    if ((write_.kind == Write::Kind::kUpdate && changes(copied)) || (replaces() && !copied.empty()))
      requests.push_back(child_request(each, RequestKind::kUpdateItem, false));
  }
}

void WritePlanner::add_tallies(std::vector<Request>& requests) const {
  for (const Tally& tally : design_.tallies) {
    const Entity* into = design_.entity(tally.into);
    if (tally.of != entity_.name || tally.through_stream || into == nullptr) continue;
    const auto fields = fields_of(entity_, tally);
    const bool removes = write_.kind == Write::Kind::kDelete;
    const bool makes = write_.kind == Write::Kind::kPut;
    const bool upsert = write_.kind == Write::Kind::kUpsert;
    if (!removes && !makes && !upsert && !changes(fields)) continue;
    for (const bool old : {true, false}) {
      if ((old && makes && write_.exists == Write::Exists::kAbsent) || (!old && removes)) continue;
      const std::string_view item = old ? "$old" : "$new";
      Write write;
      write.kind = Write::Kind::kUpsert;
      write.entity = into->name;
      for (const Binding& by : tally.by)
        write.by.push_back(
            {.field = by.field, .element = {}, .value = of_item(by.value, entity_, item), .place = by.place});
      for (const Binding& add : tally.add) {
        Binding result{
            .field = add.field, .element = {}, .value = of_item(add.value, entity_, item), .place = add.place};
        if (add.element) result.element = of_item(*add.element, entity_, item);
        // An item without the amount may create the target, which must not lack a required figure.
        const Field* figure = into->field(add.field);
        const auto amounts = fields_of(entity_, add.value);
        const bool may_lack = std::ranges::any_of(amounts, [&](const std::string& name) {
          const Field* field = entity_.field(name);
          return field != nullptr && field->optional;
        });
        if (may_lack && figure != nullptr && !figure->optional && !add.element)
          result.value = call_expression("coalesce", {std::move(result.value), number_expression("0")});
        if (old)
          result.value = {.kind = Kind::kSubtract, .arguments = {number_expression("0"), std::move(result.value)}};
        write.add.push_back(std::move(result));
      }
      for (const TallyExtreme& extreme : tally.extremes) {
        Write::Extreme change{.figure = &extreme, .was = {}, .is = {}};
        (old ? change.was : change.is) = of_item(extreme.figure.value, entity_, item);
        write.extremes.push_back(std::move(change));
      }
      if (tally.when) write.when = of_item(*tally.when, entity_, item);
      WritePlanner planner(scope_, write, *into);
      planner.observe_nothing();
      if (!tally_may_create(design_, *into)) planner.set_no_initial_values();
      Request request = planner.own_request();
      // The revision in If-Match belongs to the written item, not to the tally's target.
      std::erase_if(request.pieces, [](const Piece& piece) { return piece.cause == Cause::kRevision; });
      std::erase_if(request.refusals, [](const Refusal& refusal) { return refusal.cause == Cause::kRevision; });
      request.tally = &tally;
      request.follows = old ? Request::Follows::kOldValue : Request::Follows::kNewValue;
      // Both requests of a tally begin with this piece, so that their pieces have the same positions.
      Form exists;
      const Table* table = design_.table(into->table);
      if ((old || !tally_may_create(design_, *into)) && table != nullptr) {
        Namer namer;
        exists = present_form(table->key.hash[0].name, namer);
        request.refusals.push_back({.cause = Cause::kAbsent, .status = 404});
      }
      request.pieces.insert(request.pieces.begin(), Piece{.forms = {std::move(exists)}, .cause = Cause::kAbsent});
      if (upsert && old) request.times_least = request.times_typical = 0;
      requests.push_back(std::move(request));
    }
  }
}

EntryChange WritePlanner::entry_change(const IndexEntry& entry, const Index& index) const {
  if (write_.kind == Write::Kind::kPut || write_.kind == Write::Kind::kDelete) return EntryChange::kAddedOrRemoved;
  const auto fields = fields_of(entity_, entry);
  if (changes(fields)) return trigger_inputs_of(fields).empty() ? EntryChange::kMoved : EntryChange::kMayMove;
  if (index.projection.type == ProjectionType::kAll) return EntryChange::kCopied;
  const auto& copied = index.projection.non_key_attributes;
  const bool touched = std::any_of(changes_.begin(), changes_.end(), [&](const auto& change) {
    return std::find(copied.begin(), copied.end(), change.first) != copied.end();
  });
  return touched ? EntryChange::kCopied : EntryChange::kNone;
}

void WritePlanner::cost_own(Request& request) const {
  request.bytes = item_bytes(design_, entity_);
  request.cost.write = write_units(request.bytes);
  if (write_.kind == Write::Kind::kCheck || table_ == nullptr) return;
  for (const IndexEntry& entry : entity_.index) {
    const Index* index = table_->index(entry.index);
    if (index == nullptr) continue;
    Units units = write_units(entry_bytes(design_, entity_, *index));
    const bool sparse = is_sparse(entity_, entry);
    const bool replaces = write_.kind == Write::Kind::kPut && write_.exists != Write::Exists::kAbsent;
    switch (entry_change(entry, *index)) {
      case EntryChange::kNone:
        // An upsert that creates the item creates its entry too.
        if (write_.kind != Write::Kind::kUpsert) continue;
        units.best = units.typical = 0;
        break;
      case EntryChange::kAddedOrRemoved:
      case EntryChange::kCopied:
        if (sparse) units.best = 0;
        if (replaces) units.worst *= 2;
        break;
      case EntryChange::kMoved:
        // Adding or removing a sparse entry is one write; moving an entry is two.
        units = sparse ? Units{0, units.typical, units.worst * 2} : units * 2;
        // An upsert usually writes an existing item.
        if (write_.kind == Write::Kind::kUpsert && !sparse) units = {units.best / 2, units.typical / 2, units.worst};
        break;
      case EntryChange::kMayMove:
        units = {0, index->projection.type == ProjectionType::kAll ? units.typical : 0, units.worst * 2};
        break;
    }
    request.cost.write += units;
    request.cost.indexes.push_back({entity_.table, index->name, units});
  }
}

}  // namespace trestle::design
