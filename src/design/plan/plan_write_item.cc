// The changes of a write, the reads it needs first, and the request for the item itself.
#include "design/plan/plan_write_item.h"

#include <fmt/format.h>

#include <algorithm>

#include "design/language/raw_update.h"
#include "design/plan/extreme_read.h"

namespace trestle::design {

using Kind = Expression::Kind;

WritePlanner::WritePlanner(const WriteScope& scope, const Write& write, const Entity& entity)
    : scope_(scope), design_(scope.design), write_(write), entity_(entity), table_(scope.design.table(entity.table)) {
  find_changes();
  find_observed();
}

const Binding* WritePlanner::bound(const std::vector<Binding>& list, std::string_view field) const {
  for (const Binding& binding : list) {
    if (binding.field == field && !binding.element) return &binding;
  }
  return nullptr;
}

bool WritePlanner::is_input(std::string_view name) const {
  return scope_.operation.input(name) != nullptr || scope_.names.contains(std::string(name));
}

std::set<std::string> fields_of(const Entity& entity, const Tally& tally) {
  std::set<std::string> fields;
  const auto add = [&](const Binding& binding) {
    fields.merge(fields_of(entity, binding.value));
    if (binding.element) fields.merge(fields_of(entity, *binding.element));
  };
  for (const Binding& by : tally.by) add(by);
  each_figure(tally, add);
  if (tally.when) fields.merge(fields_of(entity, *tally.when));
  return fields;
}

bool is_counted(const Design& design, const Entity& into, const Field& field) {
  return std::any_of(design.tallies.begin(), design.tallies.end(),
                     [&](const Tally& tally) { return tally.into == into.name && tally.writes(field.name); });
}

bool tallies_make(const Design& design, const Entity& into) {
  return std::all_of(into.fields.begin(), into.fields.end(), [&](const Field& field) {
    return into.in_key(field.name) || field.optional || field.automatic || field.touched || field.counter ||
           field.revision || field.default_value || is_counted(design, into, field);
  });
}

Expression made_value(const Field& field) {
  switch (field.type.base) {
    case BaseType::kToken:
      return call_expression("token", {number_expression(std::to_string(field.type.min.value_or(32)))});
    case BaseType::kTime:
    case BaseType::kDate:
    case BaseType::kHour:
    case BaseType::kEpoch:
      return name_expression("now");
    case BaseType::kUuid:
      return call_expression("uuid", {});
    default:
      return call_expression("ulid", {});
  }
}

// The figure of packing that a field holds, of the packed field as it is after the write; nothing: it holds none.
std::optional<Expression> packing_figure(const Entity& entity, const Field& field) {
  static const std::set<std::string, std::less<>> kFigures = {"compressed", "compression_algorithm", "original_size",
                                                              "storage_size", "compression_ratio"};
  if (!kFigures.contains(field.name)) return std::nullopt;
  for (const Pack& pack : entity.packs) {
    if (!pack.figures) continue;
    return call_expression("packing", {name_expression(pack.field), number_expression(std::to_string(pack.over_bytes)),
                                       number_expression(fmt::format("{}", pack.saves)), text_expression(field.name)});
  }
  return std::nullopt;
}

// What a new item has in a field; nothing: the field is absent.
std::optional<Expression> WritePlanner::put_value(const Field& field) const {
  if (auto figure = packing_figure(entity_, field)) return figure;
  if (const Binding* set = bound(write_.set, field.name)) return set->value;
  if (const Binding* by = bound(write_.by, field.name)) return by->value;
  if (!field.sha256_of.empty()) {
    if (const Binding* of = bound(write_.set, field.sha256_of)) return call_expression("sha256", {of->value});
    if (write_.from.empty()) return call_expression("sha256", {input_expression(field.sha256_of)});
  }
  if (field.touched) return name_expression("now");
  // Figures are what is counted for the item at its own key, and a copy has another.
  if (!write_.from.empty() && !is_figure(field)) return member_expression(input_expression(write_.from), field.name);
  if (write_.sets_inputs && is_input(field.name)) {
    const Input* input = scope_.operation.input(field.name);
    Expression input_value = input_expression(field.name);
    if (input != nullptr && input->optional && !input->default_value && field.default_value)
      return call_expression("coalesce", {std::move(input_value), *field.default_value});
    return input_value;
  }
  if (field.default_value) return *field.default_value;
  if (field.automatic) return made_value(field);
  if (field.counter) return number_expression("0");
  if (field.revision) return number_expression("1");
  return std::nullopt;
}

Expression WritePlanner::current(std::string_view field) const {
  return member_expression(input_expression(scope_.current), field);
}

// Whether something else is derived from the field: an index key, an expiry, a guard, children, a figure.
bool WritePlanner::follows_from(const std::string& field) const {
  for (const EntryAttribute& attribute : entry_attributes(design_, entity_)) {
    if (fields_of(entity_, attribute).contains(field)) return true;
  }
  if (entity_.ttl && fields_of(entity_, *entity_.ttl).contains(field)) return true;
  for (const Guard& guard : entity_.unique) {
    if (fields_of(entity_, guard.key).contains(field)) return true;
    if (std::find(guard.keeps.begin(), guard.keeps.end(), field) != guard.keeps.end()) return true;
  }
  for (const Each& each : entity_.eaches) {
    if (each.field == field || copied_fields(each).contains(field)) return true;
  }
  return std::any_of(design_.tallies.begin(), design_.tallies.end(), [&](const Tally& tally) {
    return tally.of == entity_.name && !tally.through_stream && fields_of(entity_, tally).contains(field);
  });
}

// A field of the item whose value the write does not know: neither in the key nor set by another part of the write.
bool WritePlanner::is_unknown(const Expression& name, std::string_view own) const {
  if (!name.is(Kind::kName) || entity_.field(name.text) == nullptr) return false;
  if (entity_.in_key(name.text) || bound(write_.by, name.text) != nullptr) return false;
  return name.text == own || bound(write_.set, name.text) == nullptr;
}

std::set<std::string> WritePlanner::unknown_fields(const Expression& e, std::string_view own) const {
  std::set<std::string> fields;
  each_expression(e, [&](const Expression& part) {
    if (is_unknown(part, own)) fields.insert(part.text);
  });
  return fields;
}

Expression WritePlanner::of_current(const Expression& e, std::string_view own) const {
  if (is_unknown(e, own)) return current(e.text);
  Expression result = e;
  for (Expression& argument : result.arguments) argument = of_current(argument, own);
  return as_of_attributes(e, entity_, std::move(result));
}

// A value that is an optional input is written only if the caller names the input.
std::vector<std::string> WritePlanner::trigger_inputs_of(const Expression& value) const {
  const Input* input = value.is(Kind::kInput) ? scope_.operation.input(value.text) : nullptr;
  if (input == nullptr || !input->optional || input->default_value) return {};
  return {input->name};
}

// A field may be set to a value computed from the current item. DynamoDB computes it if it can, so that concurrent
// writes add up; otherwise the fields are read, and the write is conditional on their being unchanged.
void WritePlanner::find_set(const Field& field, const Binding& set) {
  Change change{.value = set.value, .trigger_inputs = trigger_inputs_of(set.value)};
  const auto unknown = unknown_fields(set.value, field.name);
  if (!unknown.empty()) {
    const auto is_path = [&](const Expression& e) { return is_unknown(e, field.name); };
    const auto is_number = [&](const std::string& name) {
      const Field* one = entity_.field(name);
      const BaseType base = one->type.base;
      return !one->optional && !is_stored_closed(entity_, *one) &&
             (base == BaseType::kInt || base == BaseType::kNumber || base == BaseType::kMoney) &&
             stored_in(design_, entity_, name).key == nullptr;
    };
    const bool bounded = !field.counter && (field.type.min || field.type.max);
    auto sum = sum_of(set.value, is_path);
    const bool one = sum && sum->plus.size() == 1 && sum->minus.empty() && sum->rest;
    const bool two = sum && sum->plus.size() + sum->minus.size() == 2 && !sum->plus.empty() && !sum->rest && !bounded;
    if ((one || two) && must_exist() && is_number(field.name) && !follows_from(field.name) &&
        std::all_of(unknown.begin(), unknown.end(), is_number) && field.extreme == Field::Extreme::kNone) {
      change.sum = std::move(sum);
      change.adds = true;
    } else {
      observed_.insert(unknown.begin(), unknown.end());
      change.value = of_current(set.value, field.name);
    }
  }
  changes_[field.name] = std::move(change);
}

bool WritePlanner::can_say_condition() const {
  if (!write_.condition) return true;
  Namer namer;
  std::vector<PlannedName> names;
  std::vector<PlannedValue> values;
  return ConditionWriter(design_, entity_, namer, names, values).can_say(*write_.condition);
}

// The input whose digest the field is, where the write takes it; null: it does not.
const Input* WritePlanner::digest_input(const Field& field) const {
  return write_.sets_inputs && !field.sha256_of.empty() ? scope_.operation.input(field.sha256_of) : nullptr;
}

// Whether the write adds to the field, or changes members of it.
bool WritePlanner::adds_to(const std::string& field) const {
  const auto in = [&](const std::vector<Binding>& list) {
    return std::ranges::any_of(list, [&](const Binding& one) { return one.field == field; });
  };
  return in(write_.set) || in(write_.add) || in(write_.take);
}

void WritePlanner::find_changes() {
  if (write_.kind != Write::Kind::kUpdate && write_.kind != Write::Kind::kUpsert) return;
  if (!write_.raw.empty()) {
    for (const RawClause& clause : read_raw_update(write_.raw).clauses)
      changes_[clause.attribute] = {.value = name_expression(clause.attribute), .trigger_inputs = {}, .adds = true};
    return;
  }
  const bool upsert = write_.kind == Write::Kind::kUpsert;
  for (const Field& field : entity_.fields) {
    const bool key = entity_.in_key(field.name) || bound(write_.by, field.name) != nullptr;
    if (packing_figure(entity_, field)) continue;
    if (const Binding* set = key ? nullptr : bound(write_.set, field.name)) {
      find_set(field, *set);
    } else if (field.touched) {
      changes_[field.name] = {.value = name_expression("now")};
    } else if (field.revision) {
      changes_[field.name] = {.value = number_expression("1"), .adds = true};
    } else if (!key && write_.sets_inputs && !field.immutable && scope_.operation.input(field.name) != nullptr) {
      const Input* input = scope_.operation.input(field.name);
      Change change{.value = input_expression(field.name)};
      if (input->optional && !input->default_value) change.trigger_inputs = {input->name};
      changes_[field.name] = std::move(change);
    } else if (const Input* source = key || field.immutable ? nullptr : digest_input(field)) {
      Change change{.value = call_expression("sha256", {input_expression(source->name)})};
      if (source->optional && !source->default_value) change.trigger_inputs = {source->name};
      changes_[field.name] = std::move(change);
    } else if (upsert && !key && !field.counter && !adds_to(field.name) && (field.default_value || field.automatic)) {
      initial_values_.insert(field.name);
    }
  }
  std::set<std::string> listed;
  for (const auto* list : {&write_.set, &write_.add, &write_.take}) {
    for (const Binding& binding : *list) {
      if (list == &write_.set && !binding.element) continue;
      observed_.merge(unknown_fields(binding.value, binding.field));
      if (binding.element) observed_.merge(unknown_fields(*binding.element, binding.field));
      Change change{.value = binding.value, .trigger_inputs = trigger_inputs_of(binding.value), .adds = true};
      if (!listed.insert(binding.field).second) {
        // Another member of the same map: the map changes if one of them does.
        const auto& others = changes_[binding.field].trigger_inputs;
        if (others.empty())
          change.trigger_inputs.clear();
        else if (!change.trigger_inputs.empty())
          change.trigger_inputs.insert(change.trigger_inputs.end(), others.begin(), others.end());
      }
      changes_[binding.field] = std::move(change);
    }
  }
  for (const std::string& field : write_.remove) changes_[field] = {.value = {.kind = Kind::kNull}};
  for (const Pack& pack : entity_.packs) {
    const auto packed = changes_.find(pack.field);
    if (!pack.figures || packed == changes_.end()) continue;
    for (const Field& field : entity_.fields) {
      auto figure = packing_figure(entity_, field);
      if (!figure) continue;
      const Change change = packed->second;
      changes_[field.name] = {.value = std::move(*figure), .trigger_inputs = change.trigger_inputs};
    }
  }
}

bool WritePlanner::changes(const std::set<std::string>& fields) const {
  return std::any_of(fields.begin(), fields.end(), [&](const std::string& field) { return changes_.contains(field); });
}

// The inputs without which none of `fields` changes; empty: one changes always.
std::vector<std::string> WritePlanner::trigger_inputs_of(const std::set<std::string>& fields) const {
  std::vector<std::string> trigger_inputs;
  for (const std::string& field : fields) {
    const auto change = changes_.find(field);
    if (change == changes_.end()) continue;
    if (change->second.trigger_inputs.empty()) return {};
    for (const std::string& input : change->second.trigger_inputs) {
      if (std::find(trigger_inputs.begin(), trigger_inputs.end(), input) == trigger_inputs.end())
        trigger_inputs.push_back(input);
    }
  }
  return trigger_inputs;
}

// Whether the guard is put for an item of which the write may not know all fields.
bool WritePlanner::puts_blindly(const Guard& guard) const {
  const auto key = fields_of(entity_, guard.key);
  const bool is_owners = std::ranges::all_of(key, [&](const std::string& name) { return entity_.in_key(name); });
  return (write_.kind == Write::Kind::kUpdate && changes(key)) ||
         (write_.kind == Write::Kind::kUpsert && (is_owners || changes(key)));
}

// The fields that decide when the item expires.
std::set<std::string> WritePlanner::expiry_fields() const {
  if (!entity_.ttl || table_ == nullptr || table_->ttl_attribute.empty()) return {};
  return fields_of(entity_, *entity_.ttl);
}

// The fields whose change makes an unchanged guard stale: those it copies and, with an expiry, those that the expiry
// depends on.
std::set<std::string> WritePlanner::changed_copies(const Guard& guard) const {
  if (write_.kind != Write::Kind::kUpdate) return {};
  std::set<std::string> changed;
  const auto key = fields_of(entity_, guard.key);
  for (const std::string& name : guard.keeps) {
    const Field* field = entity_.field(name);
    if (key.contains(name) || !changes_.contains(name) || field == nullptr) continue;
    if (!changes_.at(name).adds || is_numeric(field->type)) changed.insert(name);
  }
  const auto expiry = expiry_fields();
  if (changes(expiry)) changed.insert(expiry.begin(), expiry.end());
  return changed;
}

// Fields of the current item that the write needs: the other fields of a key that changes, the old value of a guard or
// of children, the amounts that a tally counted.
void WritePlanner::find_observed() {
  if (!write_.raw.empty()) return;  // a document's own update keeps nothing in step
  const auto is_known = [&](const std::string& field) {
    if (entity_.in_key(field) || bound(write_.by, field) != nullptr) return true;
    const auto change = changes_.find(field);
    return change != changes_.end() && change->second.trigger_inputs.empty() && !change->second.adds;
  };
  const auto need_rest = [&](const std::set<std::string>& fields) {
    for (const std::string& field : fields) {
      if (!is_known(field)) observed_.insert(field);
    }
  };
  const auto need_old = [&](const std::set<std::string>& fields) {
    for (const std::string& field : fields) {
      if (!entity_.in_key(field)) observed_.insert(field);
    }
  };
  const bool removes = write_.kind == Write::Kind::kDelete || replaces();
  bool presence = false;
  if (!can_say_condition()) {
    for (const std::string& field : fields_of(entity_, *write_.condition)) observed_.insert(field);
    presence = true;
  }
  if (write_.kind == Write::Kind::kUpdate || write_.kind == Write::Kind::kUpsert) {
    for (const EntryAttribute& attribute : entry_attributes(design_, entity_)) {
      const auto fields = fields_of(entity_, attribute);
      // Whether an upsert finds the item is not known, and what the item has decides whether its entry exists.
      const bool may_be_first =
          is_sparse(entity_, *attribute.entry) &&
          std::ranges::any_of(fields, [&](const auto& one) { return initial_values_.contains(one); });
      const bool reads = may_be_first || unread(attribute) == Unread::kReads;
      if (changes(fields) || reads) need_rest(fields);
      reads_always_ |= reads;
    }
    if (entity_.ttl) {
      const auto fields = fields_of(entity_, *entity_.ttl);
      const bool reads = unread_expiry() == Unread::kReads;
      if (changes(fields) || reads) need_rest(fields);
      reads_always_ |= reads;
    }
  }
  for (const Guard& guard : entity_.unique) {
    if (removes || changes(fields_of(entity_, guard.key))) need_old(fields_of(entity_, guard.key));
    presence |= write_.kind == Write::Kind::kDelete;
    // A guard that is put has all that it keeps, and expires with its owner.
    if (puts_blindly(guard)) {
      auto copies = expiry_fields();
      copies.insert(guard.keeps.begin(), guard.keeps.end());
      const size_t before = observed_.size();
      need_rest(copies);
      reads_always_ |= observed_.size() > before && trigger_inputs_of(fields_of(entity_, guard.key)).empty();
    }
    if (const auto changed = changed_copies(guard); !changed.empty()) {
      need_old(fields_of(entity_, guard.key));
      need_rest(changed);
    }
  }
  for (const Each& each : entity_.eaches) {
    if (removes || replaces_expired() || changes_.contains(each.field)) observed_.insert(each.field);
    // Children that are added have all that they copy.
    if (write_.kind != Write::Kind::kDelete && changes_.contains(each.field)) need_rest(child_fields(each));
    if (const auto copied = copied_fields(each); write_.kind == Write::Kind::kUpdate && changes(copied)) {
      observed_.insert(each.field);
      need_rest(copied);
    }
  }
  const std::set<std::string> computed_from = observed_;
  for (const Tally& tally : design_.tallies) {
    if (tally.of != entity_.name || tally.through_stream) continue;
    const auto fields = fields_of(entity_, tally);
    const bool upsert = write_.kind == Write::Kind::kUpsert;
    if (removes || upsert || changes(fields)) need_old(fields);
    presence |= removes || upsert;
  }
  for (const std::string& field : observed_) {
    if (!computed_from.contains(field) && is_only_summed(field)) only_summed_.insert(field);
  }
  // A replaced item keeps the figures that tallies count in it, and goes on from its revision where an exact least or
  // greatest value relies on that.
  for (const Field& field : entity_.fields) {
    if (replaces() && (is_figure(field) || (field.revision && has_exact_extremes(design_, entity_))))
      observed_.insert(field.name);
  }
  const bool shows_presence = std::any_of(observed_.begin(), observed_.end(), [&](const std::string& name) {
    const Field* field = entity_.field(name);
    return field != nullptr && !field->optional;
  });
  observes_presence_ = presence && !must_exist() && !shows_presence;
}

// Whether the write adds to the field, and tallies add its value as it is: two such writes of one item change a figure
// by the sum of both amounts.
bool WritePlanner::is_only_summed(const std::string& field) const {
  const auto change = changes_.find(field);
  if (change == changes_.end() || !change->second.adds) return false;
  return std::ranges::all_of(design_.tallies, [&](const Tally& tally) {
    if (tally.of != entity_.name || tally.through_stream) return true;
    Tally others = tally;
    std::erase_if(others.add, [&](const Binding& add) { return add.value.is_name(field) && !add.element; });
    return !fields_of(entity_, others).contains(field);
  });
}

bool WritePlanner::replaces_expired() const {
  return write_.kind == Write::Kind::kPut && write_.exists == Write::Exists::kAbsent && entity_.ttl &&
         table_ != nullptr && !table_->ttl_attribute.empty() && !entity_.eaches.empty();
}

bool WritePlanner::is_figure(const Field& field) const { return is_counted(design_, entity_, field); }

std::vector<std::string> WritePlanner::observation_trigger_inputs() const {
  if (write_.kind != Write::Kind::kUpdate && write_.kind != Write::Kind::kUpsert) return {};
  if (!can_say_condition() || reads_always_) return {};
  for (const auto* list : {&write_.set, &write_.add, &write_.take}) {
    for (const Binding& one : *list) {
      const auto change = changes_.find(one.field);
      if (change == changes_.end() || change->second.sum) continue;
      if (!unknown_fields(one.value, one.field).empty()) return {};
      if (one.element && !unknown_fields(*one.element, one.field).empty()) return {};
    }
  }
  std::set<std::string> causes;
  const auto consider = [&](const std::set<std::string>& fields) {
    if (changes(fields)) causes.insert(fields.begin(), fields.end());
  };
  for (const EntryAttribute& attribute : entry_attributes(design_, entity_)) consider(fields_of(entity_, attribute));
  for (const Guard& guard : entity_.unique) {
    consider(fields_of(entity_, guard.key));
    consider(changed_copies(guard));
  }
  for (const Each& each : entity_.eaches) {
    consider({each.field});
    consider(copied_fields(each));
  }
  for (const Tally& tally : design_.tallies) {
    if (tally.of == entity_.name && !tally.through_stream) consider(fields_of(entity_, tally));
  }
  if (entity_.ttl) consider(fields_of(entity_, *entity_.ttl));
  return trigger_inputs_of(causes);
}

// ---- The item's own request -----------------------------------------------------------------------------------------

ValueSource WritePlanner::stored(const Field& field, Expression value) const {
  ValueSource source = value_of(std::move(value), &field);
  for (const Pack& pack : entity_.packs) {
    if (pack.field == field.name) source.pack = &pack;
  }
  for (const Spill& spill : entity_.spills) {
    if (spill.field == field.name) source.spill = &spill;
  }
  return source;
}

ValueSource WritePlanner::key_value(const Template& key, const KeyAttribute& attribute, const IndexEntry* entry) const {
  ValueSource source{.kind = ValueSource::Kind::kKey};
  source.key = key;
  source.stored = attribute.type;
  source.entry = entry;
  return source;
}

void WritePlanner::key_of(Request& request, const std::vector<Template>& key) const {
  if (table_ == nullptr) return;
  const auto attributes = key_attributes(table_->key);
  for (size_t i = 0; i < attributes.size() && i < key.size(); ++i) {
    request.key.push_back({attributes[i]->name, key_value(key[i], *attributes[i], nullptr)});
    for (const Shard& shard : entity_.shards) {
      if (key[i].uses(shard.field)) request.shard = &shard;
    }
  }
}

// The fields of the item at hand, as they are after the write or, with `old`, before it.
void WritePlanner::fill_fields(Request& request, bool old) const {
  for (const Field& field : entity_.fields) {
    std::optional<Expression> value;
    const auto change = changes_.find(field.name);
    const Binding* by = bound(write_.by, field.name);
    if (by != nullptr)
      value = by->value;
    else if (old && observed_.contains(field.name))
      value = current(field.name);
    else if (old && (write_.kind != Write::Kind::kPut || !entity_.in_key(field.name)))
      continue;
    else if (write_.kind == Write::Kind::kPut) {
      value = put_value(field);
      if (observed_.contains(field.name) && field.revision)
        value = Expression{
            .kind = Kind::kAdd,
            .arguments = {call_expression("coalesce", {current(field.name), number_expression("0")}), *value}};
      if (observed_.contains(field.name) && is_figure(field))
        value = value ? call_expression("coalesce", {current(field.name), *value}) : current(field.name);
    } else if (change != changes_.end() && !change->second.adds) {
      value = change->second.value;
      if (!change->second.trigger_inputs.empty() && observed_.contains(field.name))
        value = call_expression("given_or", {*value, current(field.name)});
    } else if (initial_values_.contains(field.name)) {
      value = field.default_value ? *field.default_value : made_value(field);
      if (observed_.contains(field.name)) value = call_expression("coalesce", {current(field.name), *value});
    } else if (observed_.contains(field.name)) {
      value = current(field.name);
      if (write_.kind == Write::Kind::kUpsert && field.counter)
        value = call_expression("coalesce", {*value, number_expression("0")});
      // The added value is part of an index key.
      const Binding* add = bound(write_.add, field.name);
      if (add != nullptr && is_numeric(field.type)) {
        const bool optional = change != changes_.end() && !change->second.trigger_inputs.empty();
        const Expression given = of_current(add->value, field.name);
        const Expression amount = optional ? call_expression("coalesce", {given, number_expression("0")}) : given;
        value = Expression{.kind = Kind::kAdd,
                           .arguments = {call_expression("coalesce", {*value, number_expression("0")}), amount}};
      }
      // A tally counts the set as it becomes.
      if (field.type.base == BaseType::kSet) {
        if (add != nullptr) value = call_expression("union", {*value, of_current(add->value, field.name)});
        // An input that is not given takes nothing.
        if (const Binding* take = bound(write_.take, field.name))
          value = call_expression("coalesce",
                                  {call_expression("without", {*value, of_current(take->value, field.name)}), *value});
      }
      if (field.revision && change != changes_.end())
        value = Expression{.kind = Kind::kAdd, .arguments = {*value, number_expression("1")}};
    } else if (const Binding* set = bound(write_.set, field.name)) {
      value = set->value;
    }
    if (value)
      request.fields.push_back({.field = &field, .name = field.name, .source = stored(field, std::move(*value))});
  }
}

Request WritePlanner::own_request() {
  Request request{.entity = &entity_, .table = entity_.table};
  request.when = write_.when;
  if (observes()) request.current = scope_.current;
  for (const std::string& field : observed_) {
    if (!only_summed_.contains(field)) request.computed_from.insert(stored_in(design_, entity_, field).attribute);
  }
  switch (write_.kind) {
    case Write::Kind::kPut:
      request.kind = RequestKind::kPutItem;
      break;
    case Write::Kind::kUpdate:
    case Write::Kind::kUpsert:
      request.kind = RequestKind::kUpdateItem;
      break;
    case Write::Kind::kDelete:
      request.kind = RequestKind::kDeleteItem;
      break;
    case Write::Kind::kCheck:
      request.kind = RequestKind::kConditionCheck;
      break;
  }
  fill_fields(request, false);
  key_of(request, entity_.key);
  Namer namer;
  conditions(request, namer);
  request.extras_from = write_.from;
  request.additional = write_.additional;
  if (write_.kind == Write::Kind::kPut) fill_put(request);
  if (request.kind == RequestKind::kUpdateItem) {
    flow_piece(request, namer);
    observed_pieces(request, namer);
    if (write_.raw.empty())
      fill_update(request);
    else
      fill_raw(request);
    request.returns_new = true;
  } else {
    observed_pieces(request, namer);
  }
  cost_own(request);
  return request;
}

void WritePlanner::fill_put(Request& request) {
  request.item = request.key;
  if (table_ == nullptr) return;
  if (!table_->type_attribute.empty())
    request.item.push_back({table_->type_attribute, value_of(text_expression(entity_.type))});
  for (const FieldValue& field : request.fields) {
    const StoredIn place = stored_in(design_, entity_, field.name);
    if (place.key == nullptr && !table_->key.contains(place.attribute))
      request.item.push_back({place.attribute, field.source});
  }
  for (const EntryAttribute& one : entry_attributes(design_, entity_)) {
    request.item.push_back(
        {one.attribute->name, key_value(*one.key, *one.attribute, one.is_field ? nullptr : one.entry)});
  }
  if (entity_.ttl && !table_->ttl_attribute.empty()) {
    ValueSource expiry{.kind = ValueSource::Kind::kExpiry};
    expiry.expression = *entity_.ttl;
    expiry.stored = ValueType::kNumber;
    request.item.push_back({table_->ttl_attribute, std::move(expiry)});
  }
}

std::vector<Request> WritePlanner::requests() {
  std::vector<Request> requests;
  requests.push_back(own_request());
  if (write_.kind != Write::Kind::kCheck && write_.raw.empty()) {
    add_guards(requests);
    add_children(requests);
    add_tallies(requests);
  }
  return requests;
}

}  // namespace trestle::design
