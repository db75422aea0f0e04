// Plans the request for the item itself.
#include "design/plan/write/plan_write_item.h"

#include <fmt/format.h>

#include "design/plan/value_order.h"
#include "design/plan/write/plan_write_pieces.h"

namespace trestle::design {

using Kind = Expression::Kind;

Expression of_item(const Expression& e, const Entity& entity, std::string_view item) {
  if (e.is(Kind::kName) && entity.field(e.text) != nullptr) return member_expression(input_expression(item), e.text);
  Expression result = e;
  for (Expression& argument : result.arguments) argument = of_item(argument, entity, item);
  return as_of_attributes(e, entity, std::move(result));
}

// When the runtime evaluates a condition, a bare name is an attribute of the item and `$name.field` is a value.
// Attributes differ from values in two ways if absent: `<>` is the opposite of `=`, and an absent attribute has no
// size. The rewritten condition keeps the meaning for attributes.
Expression as_of_attributes(const Expression& original, const Entity& entity, Expression rewritten) {
  const auto is_path = [&](const Expression& e) {
    const Expression* root = &e;
    while (root->is(Kind::kMember) || root->is(Kind::kIndex)) root = &root->arguments[0];
    return root->is(Kind::kName) && entity.field(root->text) != nullptr;
  };
  const auto is_size = [&](const Expression& e) {
    return e.is(Kind::kCall) && e.text == "size" && e.arguments.size() == 1 && is_path(e.arguments[0]);
  };
  const auto is_of_path = [&](const auto& self, const Expression& e) -> bool {
    const bool computed = e.is(Kind::kAdd) || e.is(Kind::kSubtract) || e.is(Kind::kMultiply) || e.is(Kind::kDivide);
    if (computed) return self(self, e.arguments[0]) || self(self, e.arguments[1]);
    return is_path(e) || is_size(e);
  };
  if (is_size(original)) rewritten.text = "attribute_size";
  if (!original.is(Kind::kCompare) || original.text != "<>") return rewritten;
  const Expression& left = original.arguments[0];
  const Expression& right = original.arguments[1];
  if (left.is(Kind::kNull) || right.is(Kind::kNull)) return rewritten;
  if (!is_of_path(is_of_path, left) && !is_of_path(is_of_path, right)) return rewritten;
  rewritten.text = "=";
  return Expression{.kind = Kind::kNot, .arguments = {std::move(rewritten)}};
}

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

std::optional<Expression> packing_figure(const Entity& entity, const Field& field) {
  for (const Pack& pack : entity.packs) {
    const auto figure = pack.figures.find(field.name);
    if (figure == pack.figures.end()) continue;
    return call_expression("packing",
                           {name_expression(pack.field), number_expression(std::to_string(pack.over_bytes)),
                            number_expression(fmt::format("{}", pack.saves)), text_expression(figure->second)});
  }
  return std::nullopt;
}

// The value of a field in a new item; nothing: the field is absent.
std::optional<Expression> WritePlanner::put_value(const Field& field) const {
  if (auto figure = packing_figure(entity_, field)) return figure;
  // In a copy, a bare name is the value in the item that is copied; otherwise the value in the item that is created.
  const auto set_value = [&](const Binding& set) {
    return write_.from.empty() ? set.value : of_item(set.value, entity_, write_.from);
  };
  if (const Binding* set = bound(write_.set, field.name)) {
    const bool has_default = field.default_value && !field.optional && write_.from.empty() && !scope_.of_owner;
    if (has_default && may_be_absent(set->value))
      return call_expression("coalesce", {set->value, *field.default_value});
    return set_value(*set);
  }
  if (const Binding* by = bound(write_.by, field.name)) return by->value;
  if (!field.sha256_of.empty()) {
    if (const Binding* of = bound(write_.set, field.sha256_of)) return call_expression("sha256", {set_value(*of)});
    if (write_.from.empty()) return call_expression("sha256", {input_expression(field.sha256_of)});
  }
  if (field.touched) return name_expression("now");
  // A copy has another key, so it does not take over the figures and the revision.
  if (!write_.from.empty() && !is_figure(field) && !field.revision)
    return member_expression(input_expression(write_.from), field.name);
  if (write_.sets_inputs && is_input(field.name)) {
    const Input* input = scope_.operation.input(field.name);
    Expression input_value = input_expression(field.name);
    if (input != nullptr && input->optional && !input->default_value && field.default_value)
      return call_expression("coalesce", {std::move(input_value), *field.default_value});
    return input_value;
  }
  if (field.default_value) return field.default_value;
  if (field.automatic) return generated_value(field);
  if (field.counter) return number_expression("0");
  if (field.revision) return number_expression("1");
  return std::nullopt;
}

namespace {

// Whether two evaluations of the expression differ.
bool generates(const Expression& e) {
  bool found = false;
  each_expression(e, [&](const Expression& part) {
    found |= part.is(Kind::kCall) && (part.text == "ulid" || part.text == "uuid" || part.text == "token");
  });
  return found;
}

}  // namespace

// The expression with the values that a put gives the fields that it names, so that it can be evaluated before them.
Expression WritePlanner::in_created(const Expression& e, std::set<std::string>& within) const {
  const Field* field = e.is(Kind::kName) ? entity_.field(e.text) : nullptr;
  if (field != nullptr && within.insert(field->name).second) {
    const auto value = put_value(*field);
    const Expression result = value ? in_created(*value, within) : input_expression(field->name);
    within.erase(field->name);
    return result;
  }
  Expression result = e;
  for (Expression& argument : result.arguments) argument = in_created(argument, within);
  return as_of_attributes(e, entity_, std::move(result));
}

Expression WritePlanner::key_field(const std::string& name) const {
  const Field* field = entity_.field(name);
  const auto value = field == nullptr ? std::nullopt : put_value(*field);
  if (!value) return input_expression(name);
  std::set<std::string> within = {name};
  Expression result = in_created(*value, within);
  return generates(result) ? input_expression(name) : result;
}

// The value of a field that an upsert sets only if the item lacks it. If the item was read, a generated value must be
// the one in Request::fields.
Expression WritePlanner::initial_value(const Field& field) const {
  Expression value = field.default_value ? *field.default_value : generated_value(field);
  if (!observed_.contains(field.name) || !generates(value)) return value;
  return call_expression("coalesce", {current(field.name), std::move(value)});
}

Expression WritePlanner::current(std::string_view field) const {
  return member_expression(input_expression(scope_.current), field);
}

bool WritePlanner::is_figure(const Field& field) const {
  return is_counted(design_, entity_, field) || is_numbered(design_, entity_, field);
}

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

// Adds the item's fields to the request: as they are after the write or, with `old`, before it.
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
      const auto& inputs = change->second.trigger_inputs;
      if (!inputs.empty() && observed_.contains(field.name))
        value = value->is(Kind::kInput)
                    ? call_expression("input_or", {*value, current(field.name)})
                    : call_expression("if_input", {input_expression(inputs[0]), *value, current(field.name)});
    } else if (change != changes_.end() && change->second.sum) {
      continue;  // DynamoDB computes it, and nothing follows from it
    } else if (initial_values_.contains(field.name)) {
      value = initial_value(field);
      if (observed_.contains(field.name) && !generates(*value))
        value = call_expression("coalesce", {current(field.name), *value});
    } else if (observed_.contains(field.name)) {
      value = current(field.name);
      if (write_.kind == Write::Kind::kUpsert && field.counter)
        value = call_expression("coalesce", {*value, number_expression("0")});
      const Binding* add = bound(write_.add, field.name);
      // Unless something follows from the sum, DynamoDB computes it, under the condition of its range.
      if (add != nullptr && is_numeric(field.type) && write_.kind == Write::Kind::kUpdate &&
          !has_derived_data(field.name))
        continue;
      if (add != nullptr && is_numeric(field.type)) {
        const bool optional = change != changes_.end() && !change->second.trigger_inputs.empty();
        const Expression addend = of_current(add->value);
        const Expression amount = optional ? call_expression("coalesce", {addend, number_expression("0")}) : addend;
        value = Expression{.kind = Kind::kAdd,
                           .arguments = {call_expression("coalesce", {*value, first_number(field)}), amount}};
      }
      // A tally counts the set as it is after the write.
      if (field.type.base == BaseType::kSet) {
        if (add != nullptr) value = call_expression("union", {*value, of_current(add->value)});
        // If the input is absent, nothing is removed from the set.
        if (const Binding* take = bound(write_.take, field.name))
          value = call_expression("coalesce", {call_expression("without", {*value, of_current(take->value)}), *value});
      }
      if (field.revision && change != changes_.end())
        value = Expression{.kind = Kind::kAdd, .arguments = {*value, number_expression("1")}};
    } else if (const Binding* set = bound(write_.set, field.name)) {
      value = set->value;
    }
    if (value)
      request.fields.push_back({.field = &field, .name = field.name, .source = stored(field, std::move(*value))});
  }
  order_by_operands(request.fields);
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
  flow_piece(request, namer);
  if (request.kind == RequestKind::kUpdateItem) {
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
  for (const EntryAttribute& entry_attribute : entry_attributes(design_, entity_)) {
    request.item.push_back(
        {entry_attribute.attribute->name, key_value(*entry_attribute.key, *entry_attribute.attribute,
                                                    entry_attribute.is_field ? nullptr : entry_attribute.entry)});
  }
  if (const std::string* attribute = entity_.expiry_attribute(*table_))
    request.item.push_back({*attribute, expiry_of(*entity_.ttl)});
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
