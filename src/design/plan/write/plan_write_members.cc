// Plans the changes to members of sets and maps.
#include <fmt/format.h>

#include "design/plan/write/plan_write_item.h"
#include "design/plan/write/plan_write_pieces.h"

namespace trestle::design {

using Kind = Expression::Kind;

namespace {

std::string bounds_words(const FieldType& type) {
  if (type.min && type.max) return fmt::format("between {} and {}", *type.min, *type.max);
  if (type.min) return fmt::format("at least {}", *type.min);
  return fmt::format("at most {}", type.max.value_or(0));
}

// The type of a map's members if they are numbers with a range, else null.
const FieldType* ranged_member(const Field& field) {
  const FieldType* type = field.type.base == BaseType::kMap ? field.type.element.get() : nullptr;
  if (type == nullptr || !is_numeric(*type) || is_time(*type)) return nullptr;
  return type->min || type->max ? type : nullptr;
}

// The members to add or remove, as a list: the value may be a single member.
Expression members_of(const Expression& value, const Operation& operation) {
  const Input* input = value.is(Kind::kInput) ? operation.input(value.text) : nullptr;
  const bool many = input != nullptr && (input->type.base == BaseType::kSet || input->type.base == BaseType::kList);
  if (many || (value.is(Kind::kCall) && value.text == "list")) return value;
  return call_expression("union", {call_expression("list", {}), value});
}

}  // namespace

// Adds members to a set or removes them. If another program stored the set as a list, the list becomes a set.
Piece WritePlanner::set_change(const Binding& change, Section section, Namer& namer) const {
  const Field& field = *entity_.field(change.field);
  const Expression value = of_current(change.value);
  const ValueType type = stored_type(field.type);
  const std::string_view word = type == ValueType::kNumberSet ? "NS" : type == ValueType::kBinarySet ? "BS" : "SS";
  Form form{.section = section}, whole{.section = Section::kSet}, none{.section = Section::kRemove};
  const std::string name = namer.name(change.field, form.names);
  form.text = fmt::format("{} {}", name, namer.value(change.field, value_of(value, &field), form.values));
  form.condition = fmt::format("attribute_not_exists({}) OR attribute_type({}, {})", name, name,
                               namer.value(change.field + "_type", value_of(text_expression(word)), form.values));
  if (section == Section::kAdd && field.type.max && limits_members_) {
    // Requires room for all of the members, as if the set had none of them. If that fails, the whole set is written.
    const Expression room = difference(number_expression(std::to_string(*field.type.max)),
                                       call_expression("count", {members_of(value, scope_.operation)}));
    form.condition =
        fmt::format("attribute_not_exists({}) OR (attribute_type({}, {}) AND size({}) <= {})", name, name,
                    namer.value(change.field + "_type", value_of(text_expression(word)), form.values), name,
                    namer.value("most_" + change.field, amount_of(room), form.values, Bound::kMostMembers));
  }
  if (section == Section::kDelete && field.type.min && limits_members_) {
    // Requires that enough members are left, as if the set had all of those that are removed.
    const Expression fewest = {.kind = Kind::kAdd,
                               .arguments = {number_expression(std::to_string(*field.type.min)),
                                             call_expression("count", {members_of(value, scope_.operation)})}};
    form.condition =
        fmt::format("attribute_not_exists({}) OR (attribute_type({}, {}) AND size({}) >= {})", name, name,
                    namer.value(change.field + "_type", value_of(text_expression(word)), form.values), name,
                    namer.value("fewest_" + change.field, amount_of(fewest), form.values, Bound::kFewestMembers));
  }
  // `$old` is the item that DynamoDB returns when the condition of the first form fails.
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

// For sets that the write does not change: if another program stored one as a list, the list becomes a set.
void WritePlanner::list_pieces(Request& request, Namer& namer) const {
  for (const Field& field : entity_.fields) {
    if (field.type.base != BaseType::kSet || is_stored_closed(entity_, field)) continue;
    const auto change = changes_.find(field.name);
    // A change that depends on an input may leave the set as it is. A change of members converts the list itself.
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

// The refusal if a set or map would have too many or too few members, or if a member of a map would leave its range.
void WritePlanner::limit_refusal(Request& request, const Field& field) const {
  if (!limits_members_) return;
  const std::string name = fmt::format("`{}` of {}", field.name, entity_.name);
  const auto refuse = [&](std::string attribute, std::string message) {
    request.refusals.push_back(
        {.cause = Cause::kRange, .status = 409, .message = std::move(message), .attribute = std::move(attribute)});
  };
  if (field.type.min || field.type.max)
    refuse(field.name, fmt::format("{} must have {} members.", name, bounds_words(field.type)));
  if (const FieldType* member = ranged_member(field))
    refuse(member_path(field.name), fmt::format("A member of {} must stay {}.", name, bounds_words(*member)));
}

// The condition that a map with a limit has the member already or has room for it; empty: the map has no limit.
std::string WritePlanner::member_limit(const Field* field, const std::string& map, const std::string& member,
                                       Form& form, Namer& namer) const {
  if (field == nullptr || field->type.base != BaseType::kMap || !field->type.max || !limits_members_) return {};
  const std::string most =
      namer.value("most_" + field->name, amount_of(number_expression(std::to_string(*field->type.max))), form.values,
                  Bound::kMostMembers);
  return fmt::format(" AND (attribute_exists({}.{}) OR size({}) < {})", map, member, map, most);
}

// The condition that a map keeps its least number of members when the member is removed; empty: it may become empty.
std::string WritePlanner::member_least(const Field* field, const std::string& map, const std::string& member,
                                       Form& form, Namer& namer) const {
  if (field == nullptr || field->type.base != BaseType::kMap || !field->type.min || !limits_members_) return {};
  const std::string fewest =
      namer.value("fewest_" + field->name, amount_of(number_expression(std::to_string(*field->type.min))), form.values,
                  Bound::kFewestMembers);
  return fmt::format(" AND (attribute_not_exists({}.{}) OR size({}) > {})", map, member, map, fewest);
}

// The condition that a member of a map stays within the range of its type when the amount is added to it; empty: it has
// no range. A missing member counts as 0.
std::string WritePlanner::member_range(const Field& field, const std::string& map, const std::string& member,
                                       const Expression& amount, Form& form, Namer& namer) const {
  const FieldType* type = ranged_member(field);
  if (type == nullptr || !limits_members_) return {};
  const std::string zero = namer.value("zero", amount_of(number_expression("0")), form.values);
  std::vector<std::string> present, absent;
  const auto bound_at = [&](Bound bound, std::string_view symbol, int64_t limit) {
    const std::string hint = (bound == Bound::kLeastInMap ? "low_" : "high_") + field.name;
    const Expression rest = difference(number_expression(std::to_string(limit)), amount);
    const std::string value = namer.value(hint, amount_of(rest), form.values, bound);
    present.push_back(fmt::format("{}.{} {} {}", map, member, symbol, value));
    absent.push_back(fmt::format("{} {} {}", zero, symbol, value));
  };
  if (type->min) bound_at(Bound::kLeastInMap, ">=", *type->min);
  if (type->max) bound_at(Bound::kMostInMap, "<=", *type->max);
  return fmt::format(" AND (({}) OR (attribute_not_exists({}.{}) AND {}))", fmt::join(present, " AND "), map, member,
                     fmt::join(absent, " AND "));
}

// Sets a member of a map, or removes it if the value is null. DynamoDB cannot set a member of a map that does not
// exist, so there is a form for each case.
void WritePlanner::member_piece(Request& request, const Binding& set, Namer& namer) const {
  Form has_map{.section = Section::kSet}, created{.section = Section::kSet}, removes{.section = Section::kRemove}, none;
  const Expression element = of_current(*set.element);
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
  ValueSource value = value_of(of_current(set.value));
  if (field != nullptr && field->type.base == BaseType::kMap) {
    value.member_type = field->type.element.get();
    value.map = field;
  }
  ValueSource fresh = value;
  fresh.kind = ValueSource::Kind::kMapOf;
  fresh.member = element;
  fresh.stored = ValueType::kMap;
  has_map.text =
      fmt::format("{} = {}", path(has_map), namer.value(set.field + "_set", std::move(value), has_map.values));
  if (!set.value.is(Kind::kNull))
    has_map.condition += member_limit(field, namer.name(set.field, has_map.names),
                                      namer.member(set.field, element, has_map.names), has_map, namer);
  created.text = fmt::format("{} = {}", absent(created), namer.value(set.field, std::move(fresh), created.values));
  removes.text = path(removes);
  removes.condition += member_least(field, namer.name(set.field, removes.names),
                                    namer.member(set.field, element, removes.names), removes, namer);
  absent(none);
  if (set.value.is(Kind::kNull)) has_map = removes;
  Piece piece{.choice = Piece::Choice::kByMember, .attribute = set.field, .cause = Cause::kForm};
  piece.forms = {std::move(has_map), std::move(created), std::move(removes), std::move(none)};
  piece.trigger_inputs = trigger_inputs_of(set.value);
  request.pieces.push_back(std::move(piece));
  if (field != nullptr && field->type.base == BaseType::kMap) limit_refusal(request, *field);
}

// Adds to a member of a map. DynamoDB cannot add to a member of a map that does not exist, so there is a form for each
// case.
void WritePlanner::add_member_piece(Request& request, const Field& field, const Binding& add, Namer& namer) const {
  const Expression value = of_current(add.value);
  Form has_map, created;
  const Expression element = of_current(*add.element);
  const std::string map = namer.name(add.field, has_map.names);
  const std::string member = namer.member(add.field, element, has_map.names);
  const FieldType* type = field.type.base == BaseType::kMap ? field.type.element.get() : nullptr;
  const FieldType* whole = limits_members_ && type != nullptr && type->base == BaseType::kInt ? type : nullptr;
  ValueSource source = value_of(value);
  source.stored = ValueType::kNumber;
  source.member_type = whole;
  ValueSource zero = value_of(number_expression("0"));
  zero.stored = ValueType::kNumber;
  has_map.section = Section::kSet;
  const std::string added = namer.value(add.field + "_add", source, has_map.values);
  const std::string none = namer.value("zero", zero, has_map.values);
  has_map.text = fmt::format("{}.{} = if_not_exists({}.{}, {}) + {}", map, member, map, member, none, added);
  has_map.condition = fmt::format("attribute_exists({})", map) + member_limit(&field, map, member, has_map, namer) +
                      member_range(field, map, member, value, has_map, namer);
  ValueSource fresh{.kind = ValueSource::Kind::kMapOf, .expression = value};
  fresh.member_type = whole;
  fresh.member = element;
  fresh.stored = ValueType::kMap;
  created.section = Section::kSet;
  created.text = fmt::format("{} = {}", namer.name(add.field, created.names),
                             namer.value(add.field, std::move(fresh), created.values));
  created.condition = fmt::format("attribute_not_exists({})", namer.name(add.field, created.names));
  Piece piece{.choice = Piece::Choice::kByMap, .attribute = add.field, .cause = Cause::kForm};
  piece.forms = {std::move(has_map), std::move(created)};
  piece.trigger_inputs = trigger_inputs_of(add.value);
  request.pieces.push_back(std::move(piece));
  if (field.type.base == BaseType::kMap) limit_refusal(request, field);
}

}  // namespace trestle::design
