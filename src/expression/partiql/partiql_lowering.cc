#include "expression/partiql/partiql_lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "expression/operand_check.h"
#include "expression/partiql/partiql_parser.h"
#include "expression/partiql/partiql_value.h"
#include "model/limits.h"

namespace trestle {
namespace {

constexpr std::string_view kConditionFunctions[] = {
    "attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size"};

bool is_condition(const PartiqlNode& node) {
  switch (node.kind) {
    case PartiqlKind::kComparison:
    case PartiqlKind::kBetween:
    case PartiqlKind::kIn:
    case PartiqlKind::kIs:
    case PartiqlKind::kLike:
    case PartiqlKind::kAnd:
    case PartiqlKind::kOr:
    case PartiqlKind::kNot:
      return true;
    case PartiqlKind::kFunction:
      return node.text != "size";
    default:
      return false;
  }
}

std::unexpected<Error> unrecognized_function(const PartiqlNode& node) {
  return invalid(fmt::format("Unrecognized function: {} at {}", node.text, position_text(node.at)));
}

std::unexpected<Error> unsupported_operation(std::string_view what) {
  return invalid(fmt::format("Unsupported operation: {}", what));
}

// The types that IS accepts for `type`, named as in attribute_type().
std::vector<std::string_view> types_named(std::string_view type) {
  if (type == "null") return {"NULL"};
  if (type == "bool" || type == "boolean") return {"BOOL"};
  if (type == "string" || type == "char" || type == "character" || type == "varchar") return {"S"};
  if (type == "blob") return {"B"};
  if (type == "list") return {"L"};
  if (type == "struct" || type == "tuple") return {"M"};
  if (type == "bag") return {"SS", "NS", "BS"};
  if (type.starts_with("int") || type.starts_with("dec") || type == "smallint" || type == "numeric" ||
      type == "float" || type == "real" || type == "double") {
    return {"N"};
  }
  return {};
}

}  // namespace

// ---- Values.

bool PartiqlLowering::is_value(const PartiqlNode& node) const {
  switch (node.kind) {
    case PartiqlKind::kParameter:
    case PartiqlKind::kNull:
    case PartiqlKind::kTrue:
    case PartiqlKind::kFalse:
    case PartiqlKind::kString:
    case PartiqlKind::kNumber:
    case PartiqlKind::kList:
    case PartiqlKind::kMap:
    case PartiqlKind::kBag:
      return true;
    default:
      return false;
  }
}

Result<Value> PartiqlLowering::value(uint32_t node) const {
  const PartiqlNode& wanted = statement_.node(node);
  if (wanted.kind != PartiqlKind::kParameter) return partiql_value(statement_, wanted);
  if (wanted.number >= parameters_.size()) return invalid("Number of parameters in request and statement don't match.");
  return parameters_[wanted.number];
}

Result<std::vector<Value>> PartiqlLowering::in_values(const PartiqlNode& in) const {
  const PartiqlNode& list = statement_.child(in, 1);
  std::vector<Value> values;
  if (list.kind == PartiqlKind::kList || list.kind == PartiqlKind::kBag) {
    for (uint32_t child : list.children) {
      TRY_INTO(Value element, value(child));
      values.push_back(std::move(element));
    }
    return values;
  }
  TRY_INTO(const Value operand, value(in.children[1]));
  if (operand.view().type() != ValueType::kList) {
    values.push_back(operand);
    return values;
  }
  for (const ValueView element : operand.view().list()) values.emplace_back(element);
  return values;
}

Result<Item> PartiqlLowering::inserted_item() {
  const PartiqlNode& map = statement_.node(statement_.inserted);
  if (map.kind != PartiqlKind::kMap) {
    TRY_INTO(const Value whole, value(statement_.inserted));
    if (whole.view().type() != ValueType::kMap) return invalid("Expecting a map in INSERT INTO ... VALUE");
    std::vector<Field> fields;
    for (const Field& field : whole.view().map()) fields.push_back(field);
    return Item(std::move(fields));
  }
  std::vector<std::pair<std::string_view, Value>> attributes;
  for (size_t i = 0; i < map.children.size(); i += 2) {
    const PartiqlNode& key = statement_.child(map, i);
    if (key.kind != PartiqlKind::kString) {
      return invalid(fmt::format("Unsupported data type: {} under key root at {}",
                                 key.kind == PartiqlKind::kParameter ? "Parameter" : "VariableReference",
                                 position_text(key.at)));
    }
    if (key.text.empty()) return invalid("Empty attribute name");
    TRY_INTO(Value attribute, value(map.children[i + 1]));
    const auto same = [&](const auto& pair) { return pair.first == key.text; };
    std::erase_if(attributes, same);
    attributes.emplace_back(key.text, std::move(attribute));
  }
  std::vector<Field> fields;
  for (const auto& [attribute, value_node] : attributes) fields.push_back({attribute, value_node});
  return Item(std::move(fields));
}

// ---- Names and placeholders.

std::string PartiqlLowering::name(std::string_view attribute) {
  const auto it = std::ranges::find(names_, attribute, &NameMap::value_type::second);
  if (it != names_.end()) return it->first;
  names_.emplace_back(fmt::format("#{}", names_.size()), attribute);
  return names_.back().first;
}

std::string PartiqlLowering::path(const PartiqlPath& steps) {
  std::string text;
  for (const PartiqlStep& step : steps) {
    if (step.is_index) {
      text += fmt::format("[{}]", step.index);
    } else {
      text += text.empty() ? "" : ".";
      text += name(step.name);
    }
  }
  return text;
}

std::string PartiqlLowering::placeholder(Value value) {
  const auto it = std::ranges::find(values_, value, &ValueMap::value_type::second);
  if (it != values_.end()) return it->first;
  values_.emplace_back(fmt::format(":{}", values_.size()), std::move(value));
  return values_.back().first;
}

Placeholders PartiqlLowering::release_placeholders() {
  Placeholders result;
  if (!names_.empty()) result.names = std::move(names_);
  if (!values_.empty()) result.values = std::move(values_);
  return result;
}

std::string PartiqlLowering::attribute_test(Function function, std::string_view attribute) {
  return fmt::format("{}({})", function_name(function), name(attribute));
}

std::string PartiqlLowering::projection() {
  std::string text;
  std::vector<std::string_view> seen;
  for (const PartiqlPath& column : statement_.columns) {
    const std::string_view head = column.front().name;
    if (std::ranges::find(seen, head) != seen.end()) continue;
    seen.push_back(head);
    text += text.empty() ? "" : ",";
    text += name(head);
  }
  return text;
}

// ---- Conditions.

Result<std::string> PartiqlLowering::condition(uint32_t node) {
  return lower_condition(statement_.node(node), Place::kAlone);
}

Result<std::string> PartiqlLowering::lower_condition(const PartiqlNode& node, Place place) {
  switch (node.kind) {
    case PartiqlKind::kAnd:
      return joined(node, "AND", place);
    case PartiqlKind::kOr:
      return joined(node, "OR", place);
    case PartiqlKind::kNot: {
      TRY_INTO(const std::string inner, lower_condition(statement_.child(node, 0), Place::kInNot));
      return "NOT " + inner;
    }
    case PartiqlKind::kComparison:
      return comparison(node, place);
    case PartiqlKind::kBetween: {
      TRY_INTO(const std::string tested, operand(statement_.child(node, 0)));
      TRY_INTO(const std::string low, operand(statement_.child(node, 1)));
      TRY_INTO(const std::string high, operand(statement_.child(node, 2)));
      return fmt::format("{} BETWEEN {} AND {}", tested, low, high);
    }
    case PartiqlKind::kIn:
      return in(node, place);
    case PartiqlKind::kIs:
      return type_test(node, place);
    case PartiqlKind::kFunction:
      return function(node);
    case PartiqlKind::kLike:
      return unsupported_operation("Like");
    case PartiqlKind::kPath:
      return invalid(fmt::format("Unexpected path component at {}", position_text(node.at)));
    default:
      return unsupported_operation(is_value(node) ? "Literal" : "NAry");
  }
}

Result<std::string> PartiqlLowering::joined(const PartiqlNode& node, std::string_view word, Place place) {
  const bool is_and = node.kind == PartiqlKind::kAnd;
  std::string text;
  for (size_t i = 0; i < node.children.size(); ++i) {
    TRY_INTO(const std::string part,
             lower_condition(statement_.child(node, i), is_and ? Place::kInAnd : Place::kAlone));
    if (i > 0) text += fmt::format(" {} ", word);
    text += part;
  }
  const bool enclosed = place == Place::kInNot || (place == Place::kInAnd && !is_and);
  return enclosed ? "(" + text + ")" : text;
}

Result<std::string> PartiqlLowering::comparison(const PartiqlNode& node, Place place) {
  const PartiqlNode& left = statement_.child(node, 0);
  const PartiqlNode& right = statement_.child(node, 1);
  if (is_condition(left)) return boolean_comparison(node, left, right, place);
  if (is_condition(right)) return boolean_comparison(node, right, left, place);
  TRY_INTO(const std::string a, operand(left));
  TRY_INTO(const std::string b, operand(right));
  return fmt::format("{} {} {}", a, comparison_text(node.comparison), b);
}

// Compares a condition, which has the value true or false.
Result<std::string> PartiqlLowering::boolean_comparison(const PartiqlNode& node, const PartiqlNode& condition,
                                                        const PartiqlNode& other, Place place) {
  if (node.comparison == Comparison::kEqual) return equals_boolean(condition, other, place);
  if (node.comparison == Comparison::kNotEqual) {
    TRY_INTO(const std::string equal, equals_boolean(condition, other, Place::kInNot));
    return "NOT " + equal;
  }
  return invalid(
      fmt::format("Incorrect operand type for operator or function; operator or function: {}, operand type: BOOL",
                  comparison_text(node.comparison)));
}

Result<std::string> PartiqlLowering::equals_boolean(const PartiqlNode& condition, const PartiqlNode& other,
                                                    Place place) {
  std::string if_true;
  std::string if_false;
  if (is_condition(other)) {
    TRY_INTO(if_true, lower_condition(other, Place::kInAnd));
    TRY_INTO(if_false, lower_condition(other, Place::kInNot));
    if_false.insert(0, "NOT ");
  } else if (is_value(other)) {
    TRY_INTO(const Value literal, value(static_cast<uint32_t>(&other - statement_.nodes.data())));
    if (literal.view().type() != ValueType::kBool) return never(place);
    if (literal.view().boolean()) return lower_condition(condition, place);
    TRY_INTO(const std::string inner, lower_condition(condition, Place::kInNot));
    return "NOT " + inner;
  } else {
    TRY_INTO(const std::string compared, operand(other));
    if_true = fmt::format("{} = {}", compared, placeholder(Value::boolean(true)));
    if_false = fmt::format("{} = {}", compared, placeholder(Value::boolean(false)));
  }
  TRY_INTO(const std::string holds, lower_condition(condition, Place::kInAnd));
  TRY_INTO(const std::string fails, lower_condition(condition, Place::kInNot));
  const std::string text = fmt::format("{} AND {} OR NOT {} AND {}", holds, if_true, fails, if_false);
  return place == Place::kAlone ? text : "(" + text + ")";
}

// A condition that is false for every item.
std::string PartiqlLowering::never(Place place) {
  const std::string any = name("pk");
  const std::string text = fmt::format("attribute_exists({}) AND attribute_not_exists({})", any, any);
  return place == Place::kInNot ? "(" + text + ")" : text;
}

Result<std::string> PartiqlLowering::in(const PartiqlNode& node, Place place) {
  const PartiqlNode& tested = statement_.child(node, 0);
  TRY_INTO(std::vector<Value> values, in_values(node));
  if (values.empty()) return never(place);
  if (values.size() > kInOperandsMax) {
    return invalid(too_many_operands(values.size()));
  }
  if (is_condition(tested)) {
    bool accepts[2] = {false, false};
    for (const Value& value : values) {
      if (value.view().type() == ValueType::kBool) accepts[value.view().boolean()] = true;
    }
    if (accepts[0] == accepts[1]) {
      const std::string none = never(place == Place::kAlone && !accepts[0] ? place : Place::kInNot);
      return accepts[0] ? "NOT " + none : none;
    }
    if (accepts[1]) return lower_condition(tested, place);
    TRY_INTO(const std::string inner, lower_condition(tested, Place::kInNot));
    return "NOT " + inner;
  }
  TRY_INTO(std::string text, operand(tested));
  text += " IN (";
  for (size_t i = 0; i < values.size(); ++i) {
    text += i > 0 ? "," : "";
    text += placeholder(std::move(values[i]));
  }
  return text + ")";
}

Result<std::string> PartiqlLowering::type_test(const PartiqlNode& node, Place place) {
  TRY_INTO(const std::string tested, operand(statement_.child(node, 0)));
  if (node.text == "missing") return fmt::format("attribute_not_exists({})", tested);
  if (node.text == "any") return fmt::format("attribute_exists({})", tested);
  const auto types = types_named(node.text);
  if (types.empty()) return never(place);
  std::string text;
  for (std::string_view type : types) {
    text += text.empty() ? "" : " OR ";
    text += fmt::format("attribute_type({}, {})", tested, placeholder(Value::string(type)));
  }
  return types.size() > 1 && place != Place::kAlone ? "(" + text + ")" : text;
}

Result<std::string> PartiqlLowering::function(const PartiqlNode& node) {
  if (std::ranges::find(kConditionFunctions, node.text) == std::end(kConditionFunctions)) {
    return unrecognized_function(node);
  }
  return call(node, [&](const PartiqlNode& argument) { return operand(argument); });
}

template <class Lower>
Result<std::string> PartiqlLowering::call(const PartiqlNode& node, const Lower& lower_argument) {
  if (node.children.empty()) {
    return invalid(wrong_operand_count(node.text, 0));
  }
  std::string text = node.text + "(";
  for (size_t i = 0; i < node.children.size(); ++i) {
    TRY_INTO(const std::string argument, lower_argument(statement_.child(node, i)));
    text += i > 0 ? ", " : "";
    text += argument;
  }
  return text + ")";
}

Result<std::string> PartiqlLowering::operand(const PartiqlNode& node) {
  if (node.kind == PartiqlKind::kPath) return path(node.path);
  if (is_value(node)) {
    TRY_INTO(Value result, value(static_cast<uint32_t>(&node - statement_.nodes.data())));
    return placeholder(std::move(result));
  }
  if (node.kind == PartiqlKind::kFunction) return function(node);
  return unsupported_operation(node.kind == PartiqlKind::kMissing ? "LiteralMissing" : "NAry");
}

// ---- Updates.

Result<std::string> PartiqlLowering::update() {
  std::string sections[4];  // SET, REMOVE, ADD, DELETE
  const auto append = [&](UpdateSection section, const std::string& step) {
    std::string& text = sections[static_cast<size_t>(section)];
    text += text.empty() ? "" : ", ";
    text += step;
  };
  for (const PartiqlChange& change : statement_.changes) {
    if (!change.value) {
      append(UpdateSection::kRemove, path(change.path));
      continue;
    }
    const PartiqlNode& assigned = statement_.node(*change.value);
    if (assigned.kind == PartiqlKind::kFunction && (assigned.text == "set_add" || assigned.text == "set_delete")) {
      TRY_INTO(const std::string step, set_change(change, assigned));
      append(assigned.text == "set_add" ? UpdateSection::kAdd : UpdateSection::kDelete, step);
      continue;
    }
    TRY_INTO(const std::string right, update_operand(assigned, true));
    append(UpdateSection::kSet, fmt::format("{} = {}", path(change.path), right));
  }
  std::string text;
  constexpr std::string_view kWords[] = {"SET ", "REMOVE ", "ADD ", "DELETE "};
  for (size_t i = 0; i < 4; ++i) {
    if (sections[i].empty()) continue;
    text += text.empty() ? "" : " ";
    text += kWords[i];
    text += sections[i];
  }
  return text;
}

Result<std::string> PartiqlLowering::set_change(const PartiqlChange& change, const PartiqlNode& call) {
  const std::string_view name_shown = call.text == "set_add" ? "SET_ADD" : "SET_DELETE";
  if (call.children.size() != 2) {
    return invalid(fmt::format("{} must have exactly two arguments at {}", name_shown, position_text(call.at)));
  }
  const PartiqlNode& first = statement_.child(call, 0);
  if (first.kind != PartiqlKind::kPath || first.path != change.path) {
    return invalid(fmt::format("The first argument to {} must equal the assignment value at {}", name_shown,
                               position_text(call.at)));
  }
  const PartiqlNode& second = statement_.child(call, 1);
  const auto not_a_set = [&] {
    return invalid(fmt::format("The second argument to {} must be a value with type SET at {}", name_shown,
                               position_text(first.at)));
  };
  if (!is_value(second)) return not_a_set();
  TRY_INTO(Value members, value(call.children[1]));
  if (!is_set(members.view().type())) return not_a_set();
  return fmt::format("{} {}", path(change.path), placeholder(std::move(members)));
}

Result<std::string> PartiqlLowering::update_operand(const PartiqlNode& node, bool may_add) {
  if (node.kind == PartiqlKind::kPath || is_value(node)) return operand(node);
  if (node.kind == PartiqlKind::kPlus || node.kind == PartiqlKind::kMinus) {
    if (!may_add) return unsupported_operation("NAry");
    TRY_INTO(const std::string a, update_operand(statement_.child(node, 0), false));
    TRY_INTO(const std::string b, update_operand(statement_.child(node, 1), false));
    return fmt::format("{} {} {}", a, node.kind == PartiqlKind::kPlus ? "+" : "-", b);
  }
  if (node.kind != PartiqlKind::kFunction) return unsupported_operation("NAry");
  if (node.text != "list_append" && node.text != "if_not_exists") return unrecognized_function(node);
  return call(node, [&](const PartiqlNode& argument) { return update_operand(argument, false); });
}

Error bare_expression_error(Error error) {
  if (error.code != ErrorCode::kValidation) return error;
  for (const std::string_view prefix : std::initializer_list<std::string_view>{
           kValidationErrorPrefix, "Invalid ConditionExpression: ", "Invalid FilterExpression: ",
           "Invalid UpdateExpression: ", "Invalid ProjectionExpression: "}) {
    if (error.message.starts_with(prefix)) error.message.erase(0, prefix.size());
  }
  return error;
}

}  // namespace trestle
