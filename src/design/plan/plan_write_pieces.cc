// The pieces of a write's condition and update expression.
#include <fmt/format.h>

#include <algorithm>

#include "design/language/raw_update.h"
#include "design/plan/plan_write_item.h"

namespace trestle::design {

using Kind = Expression::Kind;

namespace {

ValueSource expiry_of(Expression time) {
  ValueSource source{.kind = ValueSource::Kind::kExpiry};
  source.expression = std::move(time);
  source.stored = ValueType::kNumber;
  return source;
}

// A number that is no value of a field: an amount, a bound.
ValueSource amount_of(Expression amount) {
  ValueSource source = value_of(std::move(amount));
  source.stored = ValueType::kNumber;
  return source;
}

Piece only(Form form, Cause cause = Cause::kCondition) {
  Piece piece{.cause = cause};
  piece.forms.push_back(std::move(form));
  return piece;
}

}  // namespace

// "Must exist" or "must not". An expired item does not exist, although TTL may not have deleted it yet.
Piece WritePlanner::presence(bool present, Namer& namer) const {
  Form form;
  const std::string key = namer.name(table_->key.hash[0].name, form.names);
  form.condition = fmt::format("{}({})", present ? "attribute_exists" : "attribute_not_exists", key);
  if (entity_.ttl && !table_->ttl_attribute.empty()) {
    const std::string ttl = namer.name(table_->ttl_attribute, form.names);
    const std::string now = namer.value("now", expiry_of(name_expression("now")), form.values);
    form.condition += present ? fmt::format(" AND (attribute_not_exists({}) OR {} > {})", ttl, ttl, now)
                              : fmt::format(" OR {} <= {}", ttl, now);
  }
  return only(std::move(form), present ? Cause::kAbsent : Cause::kPresent);
}

void WritePlanner::conditions(Request& request, Namer& namer) const {
  if (table_ == nullptr) return;
  const Failure* otherwise = write_.otherwise.get();
  const auto refuse = [&](Cause cause, int status, bool as_declared) {
    Refusal refusal{.cause = cause, .status = status};
    if (otherwise != nullptr && as_declared) {
      refusal.status = otherwise->status;
      refusal.message = otherwise->message;
      refusal.again = otherwise->again;
      refusal.failure = otherwise;
    }
    request.refusals.push_back(std::move(refusal));
  };
  const bool changes_item = write_.kind == Write::Kind::kUpdate || write_.kind == Write::Kind::kUpsert;
  if (write_.exists == Write::Exists::kPresent) {
    request.pieces.push_back(presence(true, namer));
    refuse(Cause::kAbsent, 404, !write_.condition || !changes_item);
  } else if (write_.exists == Write::Exists::kAbsent) {
    request.pieces.push_back(presence(false, namer));
    refuse(Cause::kPresent, 409, true);
  }
  if (write_.condition && !can_say_condition()) {
    request.holds = of_item(*write_.condition, entity_, scope_.current);
    refuse(Cause::kCondition, 409, true);
  } else if (write_.condition) {
    Form form;
    form.condition = ConditionWriter(design_, entity_, namer, form.names, form.values).text(*write_.condition);
    request.pieces.push_back(only(std::move(form)));
    refuse(Cause::kCondition, 409, true);
  }
  for (const Field& field : entity_.fields) {
    if (!field.revision || write_.kind == Write::Kind::kPut || write_.kind == Write::Kind::kCheck) continue;
    Form form;
    form.condition = is_revision(namer.name(field.name, form.names),
                                 namer.value("if_match", value_of(input_expression("if_match"), &field), form.values),
                                 namer.value("zero", value_of(number_expression("0"), &field), form.values));
    Piece piece = only(std::move(form), Cause::kRevision);
    piece.trigger_inputs = {"if_match"};
    request.pieces.push_back(std::move(piece));
    refuse(Cause::kRevision, 409, false);
  }
}

// A status may only change along the flow, or stay the same.
void WritePlanner::flow_piece(Request& request, Namer& namer) const {
  for (const Flow& flow : entity_.flows) {
    const auto change = changes_.find(flow.field);
    if (change == changes_.end()) continue;
    const Field* field = entity_.field(flow.field);
    Form form;
    const StoredIn place = stored_in(design_, entity_, flow.field);
    const std::string name = namer.name(place.attribute, form.names);
    if (place.key == nullptr && change->second.value.is(Kind::kText)) {
      std::vector<std::string> from = {
          namer.value(change->second.value.text, value_of(change->second.value, field), form.values)};
      for (const FlowStep& step : flow.steps) {
        if (std::find(step.to.begin(), step.to.end(), change->second.value.text) == step.to.end()) continue;
        from.push_back(namer.value(step.from, value_of(text_expression(step.from), field), form.values));
      }
      form.condition = fmt::format("{} IN ({})", name, fmt::join(from, ", "));
    } else {
      // The value is known only at run time: the list of its predecessors is one value.
      std::vector<Expression> choices = {change->second.value};
      // A field that a key attribute stores is there as its template makes it (T115: of this field alone).
      const auto as_stored = [&](const std::string& value) {
        if (place.key == nullptr) return text_expression(value);
        std::string text;
        for (const TemplatePart& part : place.key->parts) text += part.is_literal() ? part.literal : value;
        return text_expression(text);
      };
      std::set<std::string> targets;
      for (const FlowStep& step : flow.steps) {
        targets.insert(step.from);  // no predecessors, but an item may stay there
        targets.insert(step.to.begin(), step.to.end());
      }
      for (const std::string& target : targets) {
        std::vector<Expression> from = {as_stored(target)};
        for (const FlowStep& step : flow.steps) {
          if (std::find(step.to.begin(), step.to.end(), target) != step.to.end()) from.push_back(as_stored(step.from));
        }
        choices.push_back(text_expression(target));
        choices.push_back(call_expression("list", std::move(from)));
      }
      ValueSource list = value_of(call_expression("choose", std::move(choices)));
      list.stored = ValueType::kList;
      form.condition =
          fmt::format("contains({}, {})", namer.value("from_" + flow.field, std::move(list), form.values), name);
    }
    Piece piece = only(std::move(form), Cause::kFlow);
    piece.trigger_inputs = change->second.trigger_inputs;
    request.pieces.push_back(std::move(piece));
    request.refusals.push_back({.cause = Cause::kFlow, .status = 409});
  }
}

// Conditions that the fields read before are unchanged.
void WritePlanner::observed_pieces(Request& request, Namer& namer) const {
  const auto trigger_inputs = observation_trigger_inputs();
  if (observes_presence_) {
    Form there, absent;
    there.condition = fmt::format("attribute_exists({})", namer.name(table_->key.hash[0].name, there.names));
    absent.condition = fmt::format("attribute_not_exists({})", namer.name(table_->key.hash[0].name, absent.names));
    Piece piece{.choice = Piece::Choice::kByItem, .cause = Cause::kObserved};
    piece.forms = {std::move(there), std::move(absent)};
    request.pieces.push_back(std::move(piece));
  }
  for (const std::string& name : observed_) {
    const Field* field = entity_.field(name);
    if (field == nullptr) continue;
    Form same, absent;
    const std::string attribute = stored_in(design_, entity_, name).attribute;
    same.condition = fmt::format("{} = {}", namer.name(attribute, same.names),
                                 namer.value("old_" + name, value_of(current(name), field), same.values));
    absent.condition = fmt::format("attribute_not_exists({})", namer.name(attribute, absent.names));
    // An item that another program wrote may lack any field.
    Piece piece{.choice = Piece::Choice::kByValue, .cause = Cause::kObserved};
    piece.forms.push_back(std::move(same));
    piece.forms.push_back(std::move(absent));
    piece.trigger_inputs = trigger_inputs;
    request.pieces.push_back(std::move(piece));
  }
  if (observes()) request.refusals.push_back({.cause = Cause::kObserved, .status = 409, .again = kRaceRetries});
}

void WritePlanner::set_piece(Request& request, const Field& field, const Change& change, Namer& namer) const {
  const StoredIn place = stored_in(design_, entity_, field.name);
  if (place.key != nullptr) return;  // its entry's piece writes it
  if (field.extreme != Field::Extreme::kNone) {
    // The least or greatest: the value is written only if it is smaller or greater, under a condition.
    const bool min = field.extreme == Field::Extreme::kMin;
    Form keeps, replaces;
    const auto say = [&](Form& form) {
      return std::pair(namer.name(place.attribute, form.names),
                       namer.value(field.name, stored(field, change.value), form.values));
    };
    const auto [current, value] = say(keeps);
    keeps.condition = fmt::format("{} {} {}", current, min ? "<=" : ">", value);
    const auto [name, placeholder] = say(replaces);
    replaces.section = Section::kSet;
    replaces.text = fmt::format("{} = {}", name, placeholder);
    replaces.condition = fmt::format("attribute_not_exists({}) OR {} {} {}", name, name, min ? ">" : "<=", placeholder);
    Piece piece{.choice = min ? Piece::Choice::kByMin : Piece::Choice::kByMax,
                .attribute = place.attribute,
                .cause = Cause::kForm};
    piece.forms =
        min ? std::vector{std::move(keeps), std::move(replaces)} : std::vector{std::move(replaces), std::move(keeps)};
    request.pieces.push_back(std::move(piece));
    return;
  }
  Form set, remove;
  remove.section = Section::kRemove;
  remove.text = namer.name(place.attribute, remove.names);
  if (change.value.is(Kind::kNull)) {
    request.pieces.push_back(only(std::move(remove)));
    return;
  }
  set.section = Section::kSet;
  set.text = fmt::format("{} = {}", namer.name(place.attribute, set.names),
                         namer.value(field.name, stored(field, change.value), set.values));
  // Only what comes from outside can be absent.
  bool outside = false;
  each_expression(change.value, [&](const Expression& part) {
    outside |= part.is(Kind::kInput) || part.is_name("caller") || (part.is(Kind::kCall) && part.text == "packing");
  });
  const bool can_go = field.optional && outside;
  Piece piece{.choice = can_go ? Piece::Choice::kByValue : Piece::Choice::kOnly};
  piece.forms.push_back(std::move(set));
  if (can_go) piece.forms.push_back(std::move(remove));
  piece.trigger_inputs = change.trigger_inputs;
  request.pieces.push_back(std::move(piece));
}

// Members added to a set, or taken from it. A list of the same members, which another program wrote, becomes a set.
Piece WritePlanner::set_change(const Binding& change, Section section, Namer& namer) const {
  const Field& field = *entity_.field(change.field);
  const Expression value = of_current(change.value, change.field);
  const ValueType type = stored_type(field.type);
  const std::string_view word = type == ValueType::kNumberSet ? "NS" : type == ValueType::kBinarySet ? "BS" : "SS";
  Form form{.section = section}, whole{.section = Section::kSet}, none{.section = Section::kRemove};
  const std::string name = namer.name(change.field, form.names);
  form.text = fmt::format("{} {}", name, namer.value(change.field, value_of(value, &field), form.values));
  form.condition = fmt::format("attribute_not_exists({}) OR attribute_type({}, {})", name, name,
                               namer.value(change.field + "_type", value_of(text_expression(word)), form.values));
  if (section == Section::kAdd && field.type.max && limits_members_) {
    // Room for all of them, as if the set had none. If it has some, the whole set is written.
    const Expression room =
        difference(number_expression(std::to_string(*field.type.max)), call_expression("count", {value}));
    form.condition = fmt::format("attribute_not_exists({}) OR (attribute_type({}, {}) AND size({}) <= {})", name, name,
                                 namer.value(change.field + "_type", value_of(text_expression(word)), form.values),
                                 name, namer.value("most_" + change.field, amount_of(room), form.values));
  }
  // `$old` is the item that the refusal of the first form returns.
  const Expression old = member_expression(input_expression("$old"), change.field);
  const auto list = [&](Form& into) { return namer.value(change.field + "_list", value_of(old), into.values); };
  whole.condition = fmt::format("{} = {}", namer.name(change.field, whole.names), list(whole));
  const Expression left = call_expression(section == Section::kAdd ? "union" : "without", {old, value});
  whole.text = fmt::format("{} = {}", name, namer.value(change.field + "_set", value_of(left, &field), whole.values));
  none.text = namer.name(change.field, none.names);
  none.condition = fmt::format("{} = {}", none.text, list(none));
  Piece piece{.choice = Piece::Choice::kBySet, .attribute = change.field, .cause = Cause::kForm};
  piece.forms = {std::move(form), std::move(whole), std::move(none)};
  if (const auto known = changes_.find(change.field); known != changes_.end())
    piece.trigger_inputs = known->second.trigger_inputs;
  return piece;
}

// Sets that the write leaves as they are: a list of the same members, which another program wrote, becomes a set.
void WritePlanner::list_pieces(Request& request, Namer& namer) const {
  for (const Field& field : entity_.fields) {
    if (field.type.base != BaseType::kSet || is_stored_closed(entity_, field)) continue;
    const auto change = changes_.find(field.name);
    // A change that may not be created leaves the set as it is. That of members converts the list itself.
    if (change != changes_.end() && (change->second.trigger_inputs.empty() || change->second.adds)) continue;
    if (initial_values_.contains(field.name)) continue;
    Form is_set, created{.section = Section::kSet}, stays;
    const std::string name = namer.name(field.name, is_set.names);
    is_set.condition = fmt::format("NOT attribute_type({}, {})", name,
                                   namer.value("list_type", value_of(text_expression("L")), is_set.values));
    const Expression old = member_expression(input_expression("$old"), field.name);
    for (Form* form : {&created, &stays}) {
      form->condition = fmt::format("{} = {}", namer.name(field.name, form->names),
                                    namer.value(field.name + "_list", value_of(old), form->values));
    }
    created.text =
        fmt::format("{} = {}", name, namer.value(field.name + "_set", value_of(old, &field), created.values));
    Piece piece{.choice = Piece::Choice::kByList, .attribute = field.name, .cause = Cause::kForm};
    piece.forms = {std::move(is_set), std::move(created), std::move(stays)};
    request.pieces.push_back(std::move(piece));
  }
}

// Who adds members to a set or map that is full is refused.
void WritePlanner::limit_refusal(Request& request, const Field& field) const {
  if (!field.type.max || !limits_members_) return;
  request.refusals.push_back(
      {.cause = Cause::kRange,
       .status = 409,
       .message = fmt::format("`{}` of {} must have at most {} members.", field.name, entity_.name, *field.type.max),
       .attribute = field.name});
}

// The condition that a map with a limit has the member or has room for it; empty: it has no limit.
std::string WritePlanner::member_limit(const Field* field, const std::string& map, const std::string& member,
                                       Form& form, Namer& namer) const {
  if (field == nullptr || field->type.base != BaseType::kMap || !field->type.max || !limits_members_) return {};
  const std::string most =
      namer.value("most_" + field->name, amount_of(number_expression(std::to_string(*field->type.max))), form.values);
  return fmt::format(" AND (attribute_exists({}.{}) OR size({}) < {})", map, member, map, most);
}

// A member of a map is set, or removed by null. DynamoDB finds no member in a map that does not exist, so there is a
// form for each case.
void WritePlanner::member_piece(Request& request, const Binding& set, Namer& namer) const {
  Form there{.section = Section::kSet}, created{.section = Section::kSet}, gone{.section = Section::kRemove}, none;
  const Expression element = of_current(*set.element, set.field);
  const auto path = [&](Form& form) {
    const std::string map = namer.name(set.field, form.names);
    form.condition = fmt::format("attribute_exists({})", map);
    return fmt::format("{}.{}", map, namer.member(set.field, element, form.names));
  };
  const auto absent = [&](Form& form) {
    const std::string map = namer.name(set.field, form.names);
    form.condition = fmt::format("attribute_not_exists({})", map);
    return map;
  };
  const Field* field = entity_.field(set.field);
  ValueSource value = value_of(of_current(set.value, set.field));
  if (field != nullptr && field->type.base == BaseType::kMap) value.member_type = field->type.element.get();
  ValueSource fresh = value;
  fresh.kind = ValueSource::Kind::kMapOf;
  fresh.member = element;
  fresh.stored = ValueType::kMap;
  there.text = fmt::format("{} = {}", path(there), namer.value(set.field + "_set", std::move(value), there.values));
  if (!set.value.is(Kind::kNull))
    there.condition += member_limit(field, namer.name(set.field, there.names),
                                    namer.member(set.field, element, there.names), there, namer);
  created.text = fmt::format("{} = {}", absent(created), namer.value(set.field, std::move(fresh), created.values));
  gone.text = path(gone);
  absent(none);
  if (set.value.is(Kind::kNull)) there = gone;
  Piece piece{.choice = Piece::Choice::kByMember, .attribute = set.field, .cause = Cause::kForm};
  piece.forms = {std::move(there), std::move(created), std::move(gone), std::move(none)};
  piece.trigger_inputs = trigger_inputs_of(set.value);
  request.pieces.push_back(std::move(piece));
  if (field != nullptr && field->type.base == BaseType::kMap) limit_refusal(request, *field);
}

void WritePlanner::add_piece(Request& request, const Binding& add, Namer& namer) const {
  const Field* field = entity_.field(add.field);
  if (field == nullptr) return;
  const auto change = changes_.find(add.field);
  const Expression value = of_current(add.value, add.field);
  if (!add.element && field->type.base == BaseType::kSet) {
    request.pieces.push_back(set_change(add, Section::kAdd, namer));
    limit_refusal(request, *field);
    return;
  }
  if (!add.element) {
    Form form{.section = Section::kAdd};
    const std::string name = namer.name(add.field, form.names);
    // A counter takes any number, whatever it counts.
    const std::string amount =
        namer.value(add.field, field->counter ? amount_of(value) : value_of(value, field), form.values);
    form.text = fmt::format("{} {}", name, amount);
    const Expression first = first_number(*field);
    if (expression_text(first) != "0") {
      // A new item begins with the default.
      form.section = Section::kSet;
      form.text = fmt::format("{} = if_not_exists({}, {}) + {}", name, name,
                              namer.value("first_" + add.field, value_of(first, field), form.values), amount);
    }
    Piece piece = only(std::move(form));
    if (change != changes_.end()) piece.trigger_inputs = change->second.trigger_inputs;
    const auto trigger_inputs = piece.trigger_inputs;
    request.pieces.push_back(std::move(piece));
    if (is_numeric(field->type)) range_piece(request, *field, name_expression(add.field), value, trigger_inputs, namer);
    return;
  }
  // A member of a map that may not exist yet: DynamoDB adds to it only if the map exists, so there is a form for each
  // case.
  Form there, created;
  const Expression element = of_current(*add.element, add.field);
  const std::string map = namer.name(add.field, there.names);
  const std::string member = namer.member(add.field, element, there.names);
  ValueSource one = value_of(value);
  one.stored = ValueType::kNumber;
  ValueSource zero = value_of(number_expression("0"));
  zero.stored = ValueType::kNumber;
  there.section = Section::kSet;
  const std::string added = namer.value(add.field + "_add", one, there.values);
  const std::string none = namer.value("zero", zero, there.values);
  there.text = fmt::format("{}.{} = if_not_exists({}.{}, {}) + {}", map, member, map, member, none, added);
  there.condition = fmt::format("attribute_exists({})", map) + member_limit(field, map, member, there, namer);
  ValueSource fresh{.kind = ValueSource::Kind::kMapOf, .expression = value};
  fresh.member = element;
  fresh.stored = ValueType::kMap;
  created.section = Section::kSet;
  created.text = fmt::format("{} = {}", namer.name(add.field, created.names),
                             namer.value(add.field, std::move(fresh), created.values));
  created.condition = fmt::format("attribute_not_exists({})", namer.name(add.field, created.names));
  Piece piece{.choice = Piece::Choice::kByMap, .attribute = add.field, .cause = Cause::kForm};
  piece.forms = {std::move(there), std::move(created)};
  piece.trigger_inputs = trigger_inputs_of(add.value);
  request.pieces.push_back(std::move(piece));
  if (field->type.base == BaseType::kMap) limit_refusal(request, *field);
}

// SET field = field + value, or of two fields.
void WritePlanner::sum_piece(Request& request, const Field& field, const Change& change, Namer& namer) const {
  const Sum& sum = *change.sum;
  Form form{.section = Section::kSet};
  const std::string name = namer.name(stored_in(design_, entity_, field.name).attribute, form.names);
  const auto path = [&](const Expression& e) {
    return namer.name(stored_in(design_, entity_, e.text).attribute, form.names);
  };
  if (sum.rest) {
    const std::string other = path(sum.plus[0]);
    form.text = fmt::format("{} = {} + {}", name, other,
                            namer.value("change_" + field.name, amount_of(*sum.rest), form.values));
  } else {
    const bool adds = sum.minus.empty();
    const std::string first = path(sum.plus[0]);
    form.text = fmt::format("{} = {} {} {}", name, first, adds ? "+" : "-", path(adds ? sum.plus[1] : sum.minus[0]));
  }
  Piece piece = only(std::move(form));
  piece.trigger_inputs = change.trigger_inputs;
  request.pieces.push_back(std::move(piece));
  if (sum.rest) range_piece(request, field, sum.plus[0], *sum.rest, change.trigger_inputs, namer);
}

// The value that an addition starts from if the item lacks the attribute: a new item starts with the default.
Expression WritePlanner::first_number(const Field& field) const {
  const bool starts = write_.kind == Write::Kind::kUpsert && field.default_value && !field.counter;
  return starts && is_numeric(field.type) ? *field.default_value : number_expression("0");
}

// The condition that `path` + `amount` is within the field's range. An absent attribute counts as 0, or as its default.
void WritePlanner::range_piece(Request& request, const Field& field, const Expression& path, const Expression& amount,
                               const std::vector<std::string>& trigger_inputs, Namer& namer) const {
  // A counter is bounded only as an input.
  if (field.counter || field.revision || (!field.type.min && !field.type.max)) return;
  Form form;
  const std::string name = namer.name(stored_in(design_, entity_, path.text).attribute, form.names);
  const Field& from = *entity_.field(path.text);
  std::vector<std::string> there, alone;
  const bool may_lack = from.optional || !must_exist();
  const auto bound_at = [&](std::string_view side, int64_t limit) {
    const Expression least = difference(number_expression(std::to_string(limit)), amount);
    const std::string symbol = side == "least" ? ">=" : "<=";
    there.push_back(fmt::format("{} {} {}", name, symbol,
                                namer.value(fmt::format("{}_{}", side, field.name), amount_of(least), form.values)));
    if (!may_lack) return;
    const std::string zero = namer.value("zero", amount_of(first_number(from)), form.values);
    alone.push_back(fmt::format("{} {} {}", zero, symbol,
                                namer.value(fmt::format("{}_{}", side, field.name), amount_of(least), form.values)));
  };
  if (field.type.min) bound_at("least", *field.type.min);
  if (field.type.max) bound_at("most", *field.type.max);
  form.condition = fmt::format("{}", fmt::join(there, " AND "));
  if (may_lack)
    form.condition =
        fmt::format("({}) OR (attribute_not_exists({}) AND {})", form.condition, name, fmt::join(alone, " AND "));
  Piece piece = only(std::move(form), Cause::kRange);
  piece.trigger_inputs = trigger_inputs;
  request.pieces.push_back(std::move(piece));
  const std::string range = field.type.min && field.type.max
                                ? fmt::format("between {} and {}", *field.type.min, *field.type.max)
                            : field.type.min ? fmt::format("at least {}", *field.type.min)
                                             : fmt::format("at most {}", *field.type.max);
  request.refusals.push_back({.cause = Cause::kRange,
                              .status = 409,
                              .message = fmt::format("`{}` of {} must stay {}.", field.name, entity_.name, range),
                              .attribute = stored_in(design_, entity_, path.text).attribute});
}

void WritePlanner::initial_value_piece(Request& request, const Field& field, Expression value, Namer& namer) const {
  const StoredIn place = stored_in(design_, entity_, field.name);
  if (place.key != nullptr) return;
  Form form{.section = Section::kSet};
  const std::string name = namer.name(place.attribute, form.names);
  form.text = fmt::format("{} = if_not_exists({}, {})", name, name,
                          namer.value(field.name, stored(field, std::move(value)), form.values));
  request.pieces.push_back(only(std::move(form)));
}

// Rewrites every index attribute that a changed field is part of.
void WritePlanner::entry_pieces(Request& request, Namer& namer) const {
  const bool upsert = write_.kind == Write::Kind::kUpsert && makes_;
  for (const EntryAttribute& one : entry_attributes(design_, entity_)) {
    const auto fields = fields_of(entity_, one);
    const bool once = std::any_of(fields.begin(), fields.end(),
                                  [&](const std::string& field) { return initial_values_.contains(field); });
    const bool changed = changes(fields);
    if (!changed && !upsert) continue;
    const bool leaves = unread(one) == Unread::kLeaves;
    if (leaves && (is_blind_ || !changed)) continue;
    Form set, remove;
    set.section = Section::kSet;
    const std::string name = namer.name(one.attribute->name, set.names);
    const std::string value = namer.value(
        one.attribute->name, key_value(*one.key, *one.attribute, one.is_field ? nullptr : one.entry), set.values);
    set.text = once && !changed ? fmt::format("{} = if_not_exists({}, {})", name, name, value)
                                : fmt::format("{} = {}", name, value);
    remove.section = Section::kRemove;
    remove.text = namer.name(one.attribute->name, remove.names);
    // An update has read every field, and an item that another program wrote may lack one. An upsert leaves alone what
    // it does not know.
    const bool may_lack = !upsert || is_sparse(entity_, *one.entry);
    Piece piece{.choice = may_lack ? Piece::Choice::kByValue : Piece::Choice::kOnly};
    piece.forms.push_back(std::move(set));
    if (may_lack) piece.forms.push_back(std::move(remove));
    if (!upsert || leaves) piece.trigger_inputs = trigger_inputs_of(fields);
    request.pieces.push_back(std::move(piece));
  }
}

void WritePlanner::ttl_piece(Request& request, Namer& namer) const {
  if (!entity_.ttl || table_->ttl_attribute.empty()) return;
  const auto fields = fields_of(entity_, *entity_.ttl);
  const bool upsert = write_.kind == Write::Kind::kUpsert;
  const bool changed = changes(fields);
  if (!upsert && !changed) return;
  const bool leaves = unread_expiry() == Unread::kLeaves;
  if (leaves && (is_blind_ || !changed)) return;
  // A field that is the attribute itself is set as such.
  if (entity_.field(table_->ttl_attribute) != nullptr && changes_.contains(table_->ttl_attribute)) return;
  Piece piece = expiry_piece(namer);
  if (!upsert || leaves) piece.trigger_inputs = trigger_inputs_of(fields);
  // What decides the expiry is set on creation only, and so is the expiry.
  const bool once = std::ranges::any_of(
      fields, [&](const std::string& field) { return initial_values_.contains(field) && !observed_.contains(field); });
  if (once && !changed) {
    Form& set = piece.forms.front();
    const std::string& name = set.names.front().placeholder;
    set.text = fmt::format("{} = if_not_exists({}, {})", name, name, set.values.front().placeholder);
  }
  request.pieces.push_back(std::move(piece));
}

// The TTL attribute, set to when the item expires; removed where it never does.
Piece WritePlanner::expiry_piece(Namer& namer) const {
  Form form{.section = Section::kSet}, remove{.section = Section::kRemove};
  form.text = fmt::format("{} = {}", namer.name(table_->ttl_attribute, form.names),
                          namer.value(table_->ttl_attribute, expiry_of(*entity_.ttl), form.values));
  const auto decides = fields_of(entity_, *entity_.ttl);
  const bool optional = std::any_of(decides.begin(), decides.end(), [&](const std::string& name) {
    const Field* field = entity_.field(name);
    return field != nullptr && field->optional;
  });
  Piece piece = only(std::move(form));
  if (write_.kind != Write::Kind::kUpsert || optional) {
    remove.text = namer.name(table_->ttl_attribute, remove.names);
    piece.choice = Piece::Choice::kByValue;
    piece.forms.push_back(std::move(remove));
  }
  return piece;
}

// A document's own update, as it is: #name is the attribute of that name, :name what the operation calls so.
void WritePlanner::fill_raw(Request& request) const {
  for (const RawClause& clause : read_raw_update(write_.raw).clauses) {
    Form form{.section = clause.section, .text = clause.text};
    for (const std::string& name : clause.names)
      form.names.push_back({.placeholder = name, .attribute = name.substr(1), .member = {}});
    // A member of a map or a list has not the type of the whole.
    const bool nested = clause.text.find_first_of(".[") != std::string::npos;
    const Field* field = nested ? nullptr : entity_.field(clause.attribute);
    for (const std::string& value : clause.values)
      form.values.push_back({value, value_of(input_expression(std::string_view(value).substr(1)), field)});
    request.pieces.push_back(only(std::move(form)));
  }
}

void WritePlanner::fill_update(Request& request) {
  if (table_ == nullptr) return;
  Namer namer;
  // Placeholders already assigned keep their meaning.
  for (const Piece& piece : request.pieces) {
    for (const Form& form : piece.forms) {
      std::vector<PlannedName> names;
      std::vector<PlannedValue> values;
      for (const PlannedName& name : form.names) {
        if (!name.member) namer.name(name.attribute, names);
      }
      for (const PlannedValue& value : form.values)
        namer.value(std::string_view(value.placeholder).substr(1), value.source, values);
    }
  }
  if (write_.kind == Write::Kind::kUpsert) {
    if (!table_->type_attribute.empty()) {
      Form form{.section = Section::kSet};
      form.text = fmt::format("{} = {}", namer.name(table_->type_attribute, form.names),
                              namer.value("Type", value_of(text_expression(entity_.type)), form.values));
      request.pieces.push_back(only(std::move(form)));
    }
    for (const Field& field : entity_.fields) {
      const Binding* by = bound(write_.by, field.name);
      const Binding* key = by != nullptr ? by : entity_.in_key(field.name) ? bound(write_.set, field.name) : nullptr;
      if (key != nullptr && !table_->key.contains(field.name))
        set_piece(request, field, {.value = key->value, .trigger_inputs = {}, .adds = false}, namer);
    }
  }
  for (const Field& field : entity_.fields) {
    const auto change = changes_.find(field.name);
    if (change != changes_.end() && !change->second.adds) set_piece(request, field, change->second, namer);
    if (change != changes_.end() && change->second.sum) sum_piece(request, field, change->second, namer);
    if (initial_values_.contains(field.name))
      initial_value_piece(request, field, field.default_value ? *field.default_value : made_value(field), namer);
    if (write_.kind == Write::Kind::kUpsert && makes_ && field.counter && (change == changes_.end()))
      initial_value_piece(request, field, number_expression("0"), namer);
  }
  for (const Binding& set : write_.set) {
    if (set.element) member_piece(request, set, namer);
  }
  for (const Binding& add : write_.add) add_piece(request, add, namer);
  for (const Write::Extreme& extreme : write_.extremes) extreme_piece(request, extreme, namer);
  for (const Field& field : entity_.fields) {
    if (!field.revision) continue;
    Form form{.section = Section::kAdd};
    form.text = fmt::format("{} {}", namer.name(field.name, form.names),
                            namer.value("one", value_of(number_expression("1"), &field), form.values));
    request.pieces.push_back(only(std::move(form)));
  }
  for (const Binding& take : write_.take) {
    if (entity_.field(take.field) != nullptr) request.pieces.push_back(set_change(take, Section::kDelete, namer));
  }
  list_pieces(request, namer);
  entry_pieces(request, namer);
  ttl_piece(request, namer);
}

}  // namespace trestle::design
