// Determines the fields that an update or upsert changes and their new values, which come from the inputs, are computed
// by DynamoDB, or are computed from fields of the current item.
#include <algorithm>

#include "design/language/raw_update.h"
#include "design/plan/write/plan_write_item.h"

namespace trestle::design {

using Kind = Expression::Kind;

// Whether something is derived from the field: an index key, an expiry, a guard, children, a figure.
bool WritePlanner::has_derived_data(const std::string& field) const {
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

// Whether the name is a field whose value before the write must be read. The fields of the key do not change. Values
// that come from another item's write have no names of this item.
bool WritePlanner::is_unknown(const Expression& name) const {
  if (scope_.of_owner || !name.is(Kind::kName) || entity_.field(name.text) == nullptr) return false;
  return !entity_.in_key(name.text) && bound(write_.by, name.text) == nullptr;
}

std::set<std::string> WritePlanner::unknown_fields(const Expression& e) const {
  std::set<std::string> fields;
  each_expression(e, [&](const Expression& part) {
    if (is_unknown(part)) fields.insert(part.text);
  });
  return fields;
}

// The value that a field has before the write. An item that an upsert creates begins with its defaults.
Expression WritePlanner::before(const std::string& name) const {
  const Field& field = *entity_.field(name);
  if (write_.kind != Write::Kind::kUpsert || must_exist()) return current(name);
  if (initial_values_.contains(name)) return name_expression(name);  // after the write it is the same
  if (field.counter) return call_expression("coalesce", {current(name), number_expression("0")});
  if (field.default_value) return call_expression("coalesce", {current(name), *field.default_value});
  return current(name);
}

// The expression with the values that fields have before the write.
Expression WritePlanner::of_current(const Expression& e) const {
  if (is_unknown(e)) return before(e.text);
  Expression result = e;
  for (Expression& argument : result.arguments) argument = of_current(argument);
  return as_of_attributes(e, entity_, std::move(result));
}

// Whether the value of a binding may be absent because of an optional field or input.
bool WritePlanner::may_be_absent(const Expression& e) const {
  const auto any_from = [&](size_t first, size_t step) {
    for (size_t i = first; i < e.arguments.size(); i += step) {
      if (may_be_absent(e.arguments[i])) return true;
    }
    return false;
  };
  switch (e.kind) {
    case Kind::kNull:
    case Kind::kIndex:
      return true;
    case Kind::kInput: {
      const Input* input = scope_.operation.input(e.text);
      return input != nullptr && input->optional && !input->default_value;
    }
    case Kind::kName: {
      const Field* field = entity_.field(e.text);
      return field != nullptr && field->optional;
    }
    case Kind::kMember:
    case Kind::kAdd:
    case Kind::kSubtract:
    case Kind::kMultiply:
    case Kind::kDivide:
      return any_from(0, 1);
    case Kind::kCall:
      if (e.text == "exists" || e.text == "count" || e.text == "contains") return false;
      if (e.text == "coalesce")
        return std::ranges::all_of(e.arguments, [&](const auto& a) { return may_be_absent(a); });
      if (e.text == "if") return e.arguments.size() < 3 || any_from(1, 1);
      if (e.text == "choose") return e.arguments.size() % 2 != 0 || any_from(2, 2) || may_be_absent(e.arguments.back());
      return any_from(0, 1);
    default:
      return false;
  }
}

// A value that is an optional input, or a sum or other arithmetic of one, is written only if the caller supplies the
// input.
std::vector<std::string> WritePlanner::trigger_inputs_of(const Expression& value) const {
  std::set<std::string> inputs;
  const auto look = [&](const auto& self, const Expression& e) -> void {
    if (e.is(Kind::kAdd) || e.is(Kind::kSubtract) || e.is(Kind::kMultiply) || e.is(Kind::kDivide)) {
      for (const Expression& argument : e.arguments) self(self, argument);
      return;
    }
    const Input* input = e.is(Kind::kInput) ? scope_.operation.input(e.text) : nullptr;
    if (input != nullptr && input->optional && !input->default_value) inputs.insert(input->name);
  };
  look(look, value);
  // With several inputs, one of them would trigger a value that lacks the other.
  if (inputs.size() != 1) return {};
  return {inputs.begin(), inputs.end()};
}

// Without a value, a required field stays as it is, and so does what follows from it. A new item has its default.
void WritePlanner::keep_required(const Field& field, Change& change) {
  const bool may_be_new = write_.kind == Write::Kind::kUpsert && !must_exist() && field.default_value;
  const bool has_derived = has_derived_data(field.name);
  if (may_be_new && change.value.is(Kind::kInput) && !has_derived) {
    change.initial = *field.default_value;
  } else if (may_be_new || (has_derived && change.trigger_inputs.empty())) {
    observed_.insert(field.name);
    change.value = call_expression("coalesce", {std::move(change.value), before(field.name)});
  } else {
    return;
  }
  change.trigger_inputs.clear();
  use_defaults({field.name});
}

// A field may be set to a value computed from the current item. If DynamoDB can compute it, concurrent writes add up.
// Otherwise the fields are read, and the write is conditional on their being unchanged.
void WritePlanner::find_set(const Field& field, const Binding& set) {
  Change change{.value = set.value, .trigger_inputs = trigger_inputs_of(set.value)};
  const auto unknown = unknown_fields(set.value);
  if (!unknown.empty()) {
    const auto is_path = [&](const Expression& e) { return is_unknown(e); };
    const auto is_number = [&](const std::string& name) {
      const Field* operand_field = entity_.field(name);
      const BaseType base = operand_field->type.base;
      return !operand_field->optional && !is_stored_closed(entity_, *operand_field) &&
             (base == BaseType::kInt || base == BaseType::kNumber || base == BaseType::kMoney) &&
             stored_in(design_, entity_, name).key == nullptr;
    };
    const bool bounded = !field.counter && (field.type.min || field.type.max);
    auto sum = sum_of(set.value, is_path);
    const bool changes_own_value = sum && sum->plus.size() == 1 && sum->minus.empty() && sum->rest;
    const bool combines_two_terms =
        sum && sum->plus.size() + sum->minus.size() == 2 && !sum->plus.empty() && !sum->rest && !bounded;
    if ((changes_own_value || combines_two_terms) && must_exist() && is_number(field.name) &&
        !has_derived_data(field.name) && std::all_of(unknown.begin(), unknown.end(), is_number) &&
        field.extreme == Field::Extreme::kNone) {
      change.sum = std::move(sum);
      change.adds = true;
    } else {
      observed_.insert(unknown.begin(), unknown.end());
      use_defaults(unknown);
      change.value = of_current(set.value);
    }
  }
  if (!change.sum && !field.optional && !scope_.of_owner && may_be_absent(set.value)) keep_required(field, change);
  changes_[field.name] = std::move(change);
}

// Notes that the fields' values before the write are used, which in a new item are their defaults.
void WritePlanner::use_defaults(const std::set<std::string>& fields) {
  if (write_.kind == Write::Kind::kUpsert) used_defaults_.insert(fields.begin(), fields.end());
}

// The input whose digest the field stores, if the write takes that input; null otherwise.
const Input* WritePlanner::digest_input(const Field& field) const {
  return write_.sets_inputs && !field.sha256_of.empty() ? scope_.operation.input(field.sha256_of) : nullptr;
}

// Whether the write adds to the field or changes members of it.
bool WritePlanner::adds_to(const std::string& field) const {
  const auto in = [&](const std::vector<Binding>& list) {
    return std::ranges::any_of(list, [&](const Binding& binding) { return binding.field == field; });
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
  std::vector<std::pair<const Field*, const Binding*>> sets;
  for (const Field& field : entity_.fields) {
    const bool key = entity_.in_key(field.name) || bound(write_.by, field.name) != nullptr;
    if (packing_figure(entity_, field)) continue;
    if (const Binding* set = key ? nullptr : bound(write_.set, field.name)) {
      sets.emplace_back(&field, set);
    } else if (field.touched) {
      changes_[field.name] = {.value = name_expression("now")};
    } else if (field.revision) {
      changes_[field.name] = {.value = number_expression("1"), .adds = true};
    } else if (!key && write_.sets_inputs && !field.immutable && scope_.operation.input(field.name) != nullptr) {
      const Input* input = scope_.operation.input(field.name);
      Change change{.value = input_expression(field.name)};
      const bool may_lack = input->optional && !input->default_value;
      if (may_lack && upsert && field.default_value && !field.optional) {
        // The item is read first if something else follows from what the field is then.
        if (has_derived_data(field.name)) {
          observed_.insert(field.name);
          used_defaults_.insert(field.name);
          change.value = call_expression("coalesce", {change.value, current(field.name), *field.default_value});
        } else {
          used_defaults_.insert(field.name);
          change.initial = *field.default_value;
        }
      } else if (may_lack) {
        change.trigger_inputs = {input->name};
      }
      changes_[field.name] = std::move(change);
    } else if (const Input* source = key || field.immutable ? nullptr : digest_input(field)) {
      Change change{.value = call_expression("sha256", {input_expression(source->name)})};
      if (source->optional && !source->default_value) change.trigger_inputs = {source->name};
      changes_[field.name] = std::move(change);
    } else if (upsert && !key && !field.counter && !adds_to(field.name) && (field.default_value || field.automatic)) {
      initial_values_.insert(field.name);
      used_defaults_.insert(field.name);
    }
  }
  // After the loop, because the value that an upsert's field has before the write depends on `initial_values_`.
  for (const auto& [field, set] : sets) find_set(*field, *set);
  std::set<std::string> listed;
  for (const auto* list : {&write_.set, &write_.add, &write_.take}) {
    for (const Binding& binding : *list) {
      if (list == &write_.set && !binding.element) continue;
      for (const Expression* e : {&binding.value, binding.element ? &*binding.element : nullptr}) {
        if (e == nullptr) continue;
        const auto unknown = unknown_fields(*e);
        observed_.insert(unknown.begin(), unknown.end());
        use_defaults(unknown);
      }
      Change change{.value = binding.value, .trigger_inputs = trigger_inputs_of(binding.value), .adds = true};
      if (!listed.insert(binding.field).second) {
        // Another member of the same map: the map changes if either member does.
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
    if (packed == changes_.end()) continue;
    const std::vector<std::string> trigger_inputs = packed->second.trigger_inputs;
    for (const auto& [name, figure] : pack.figures) {
      if (auto value = packing_figure(entity_, *entity_.field(name)))
        changes_[name] = {.value = std::move(*value), .trigger_inputs = trigger_inputs};
    }
  }
}

bool WritePlanner::changes(const std::set<std::string>& fields) const {
  return std::any_of(fields.begin(), fields.end(), [&](const std::string& field) { return changes_.contains(field); });
}

// The inputs without which none of `fields` changes. Empty: at least one of the fields always changes.
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

}  // namespace trestle::design
