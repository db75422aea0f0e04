// Assigns placeholders and translates conditions of the design into DynamoDB's syntax.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "design/plan/plan_arithmetic.h"
#include "design/plan/plan_impl.h"

namespace trestle::design {

using Kind = Expression::Kind;

namespace {

std::string plain(std::string_view text) {
  std::string out;
  for (char c : text) out.push_back(std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_');
  return out.empty() ? "x" : out;
}

// The first of hint, hint2, hint3... that is unused or already has this meaning.
std::string placeholder(std::map<std::string, std::string>& placeholders, std::string_view mark, std::string_view hint,
                        const std::string& meaning) {
  for (int i = 1;; ++i) {
    const std::string result =
        i == 1 ? fmt::format("{}{}", mark, plain(hint)) : fmt::format("{}{}{}", mark, plain(hint), i);
    const auto [found, fresh] = placeholders.emplace(result, meaning);
    if (fresh || found->second == meaning) return result;
  }
}

bool binds_looser(const Expression& e, const Expression& parent) {
  const auto rank = [](Kind kind) {
    return kind == Kind::kOr ? 0 : kind == Kind::kAnd ? 1 : kind == Kind::kNot ? 2 : 3;
  };
  return rank(e.kind) < rank(parent.kind);
}

}  // namespace

std::string Namer::name(std::string_view attribute, std::vector<PlannedName>& names) {
  const std::string result = placeholder(attributes_, "#", attribute, std::string(attribute));
  if (std::none_of(names.begin(), names.end(),
                   [&](const PlannedName& planned) { return planned.placeholder == result; })) {
    names.push_back({.placeholder = result, .attribute = std::string(attribute), .member = {}});
  }
  return result;
}

std::string Namer::member(std::string_view hint, const Expression& member, std::vector<PlannedName>& names) {
  const std::string result =
      placeholder(attributes_, "#", fmt::format("{}_member", hint), "$" + expression_text(member));
  if (std::none_of(names.begin(), names.end(),
                   [&](const PlannedName& planned) { return planned.placeholder == result; })) {
    names.push_back({.placeholder = result, .attribute = {}, .member = member});
  }
  return result;
}

std::string Namer::value(std::string_view hint, ValueSource source, std::vector<PlannedValue>& values) {
  // A value is stored in the form of the field it is compared with, so one literal may become two values.
  std::string meaning = source_text(source);
  if (source.field != nullptr) meaning += " as " + type_text(source.field->type);
  const std::string result = placeholder(sources_, ":", hint, meaning);
  if (std::none_of(values.begin(), values.end(),
                   [&](const PlannedValue& planned) { return planned.placeholder == result; })) {
    values.push_back({.placeholder = result, .source = std::move(source)});
  }
  return result;
}

bool ConditionWriter::is_path(const Expression& e) const {
  if (e.is(Kind::kName)) {
    const Table* table = design_.table(entity_.table);
    return entity_.field(e.text) != nullptr || (table != nullptr && table->key.contains(e.text));
  }
  return (e.is(Kind::kMember) || e.is(Kind::kIndex)) && is_path(e.arguments[0]);
}

bool ConditionWriter::has_path(const Expression& e) const {
  if (is_path(e)) return true;
  return std::any_of(e.arguments.begin(), e.arguments.end(),
                     [&](const Expression& argument) { return has_path(argument); });
}

bool ConditionWriter::can_evaluate_operand(const Expression& e) const {
  if (e.is(Kind::kCall) && e.text == "size" && e.arguments.size() == 1) return is_path(e.arguments[0]);
  return is_path(e) || !has_path(e);
}

bool ConditionWriter::can_evaluate(const Expression& e) const {
  static const std::set<std::string, std::less<>> kFunctions = {
      "attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size", "exists"};
  bool closed = false;
  each_expression(e, [&](const Expression& part) {
    const Field* field = part.is(Kind::kName) ? entity_.field(part.text) : nullptr;
    // A field rendered by a key template is not comparable either.
    closed |= field != nullptr &&
              (is_stored_closed(entity_, *field) || stored_in(design_, entity_, field->name).key != nullptr);
  });
  switch (e.kind) {
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kNot:
      return std::all_of(e.arguments.begin(), e.arguments.end(),
                         [&](const Expression& part) { return can_evaluate(part); });
    case Kind::kCompare: {
      const bool null = e.arguments[0].is(Kind::kNull) || e.arguments[1].is(Kind::kNull);
      if (closed && !null) return false;
      if (can_evaluate_operand(e.arguments[0]) && can_evaluate_operand(e.arguments[1])) return true;
      return simple_comparison(e, [&](const Expression& part) { return is_path(part); }).has_value();
    }
    case Kind::kCall: {
      const bool presence = e.text == "attribute_exists" || e.text == "attribute_not_exists" || e.text == "exists";
      if (closed && !presence) return false;
      if (!has_path(e)) return true;
      return kFunctions.contains(e.text) &&
             std::all_of(e.arguments.begin(), e.arguments.end(),
                         [&](const Expression& part) { return can_evaluate_operand(part); });
    }
    case Kind::kBetween:
    case Kind::kIn:
      return !closed && std::all_of(e.arguments.begin(), e.arguments.end(),
                                    [&](const Expression& part) { return can_evaluate_operand(part); });
    default:
      return !closed && can_evaluate_operand(e);
  }
}

std::string is_revision(std::string_view name, std::string_view value, std::string_view zero) {
  return fmt::format("{} = {} OR (attribute_not_exists({}) AND {} = {})", name, value, name, value, zero);
}

bool is_stored_closed(const Entity& entity, const Field& field) {
  const auto names = [&](const auto& group) { return group.field == field.name; };
  return field.encrypted || std::any_of(entity.packs.begin(), entity.packs.end(), names) ||
         std::any_of(entity.spills.begin(), entity.spills.end(), names);
}

std::string ConditionWriter::path(const Expression& e) {
  if (e.is(Kind::kName)) return namer_.name(stored_in(design_, entity_, e.text).attribute, names_);
  if (e.is(Kind::kMember)) return path(e.arguments[0]) + "." + namer_.name(e.text, names_);
  if (e.arguments[1].is(Kind::kNumber)) return fmt::format("{}[{}]", path(e.arguments[0]), e.arguments[1].text);
  return path(e.arguments[0]) + "." + namer_.member("at", e.arguments[1], names_);
}

// A field, its size, or a value. `other` is the operand that a value is compared with; it determines the placeholder's
// name and the value's type.
std::string ConditionWriter::operand(const Expression& e, const Expression* other) {
  if (is_path(e)) return path(e);
  if (e.is(Kind::kCall) && e.text == "size" && has_path(e)) return fmt::format("size({})", path(e.arguments[0]));
  const Field* field = nullptr;
  std::string hint = "value";
  if (other != nullptr && is_path(*other)) {
    const Expression* root = other;
    while (!root->is(Kind::kName)) root = &root->arguments[0];
    if (other->is(Kind::kName)) field = entity_.field(root->text);  // a member of the field has another type
    hint = root->text;
  }
  if (e.is(Kind::kText)) hint = e.text;
  if (e.is(Kind::kInput)) hint = e.text;
  // A computed value need not be valid for the field: `stock >= $n / 2`.
  const bool computed = e.is(Kind::kAdd) || e.is(Kind::kSubtract) || e.is(Kind::kMultiply) || e.is(Kind::kDivide);
  if (computed && field != nullptr && is_numeric(field->type) && !is_time(field->type)) field = nullptr;
  return namer_.value(hint, value_of(e, field), values_);
}

std::string ConditionWriter::call(const Expression& e) {
  const auto& arguments = e.arguments;
  if (e.text == "exists" && arguments.size() == 1 && is_path(arguments[0]))
    return fmt::format("attribute_exists({})", path(arguments[0]));
  // The second argument is the name of a type, not a value of the field.
  if (e.text == "attribute_type" && arguments.size() == 2)
    return fmt::format("attribute_type({}, {})", operand(arguments[0], nullptr), operand(arguments[1], nullptr));
  std::string list;
  for (size_t i = 0; i < arguments.size(); ++i) {
    list += (i == 0 ? "" : ", ") + operand(arguments[i], i > 0                  ? &arguments[0]
                                                         : arguments.size() > 1 ? &arguments[1]
                                                                                : nullptr);
  }
  return fmt::format("{}({})", e.text, list);
}

std::string ConditionWriter::text(const Expression& e) {
  const auto inner = [&](const Expression& part) {
    const std::string result = text(part);
    // The comparison with a revision expands to an OR.
    const bool alternatives = part.is(Kind::kCompare) && !e.is(Kind::kOr) && result.find(" OR ") != std::string::npos;
    return binds_looser(part, e) || alternatives ? "(" + result + ")" : result;
  };
  switch (e.kind) {
    case Kind::kAnd:
      return fmt::format("{} AND {}", inner(e.arguments[0]), inner(e.arguments[1]));
    case Kind::kOr:
      return fmt::format("{} OR {}", inner(e.arguments[0]), inner(e.arguments[1]));
    case Kind::kNot:
      return fmt::format("NOT {}", inner(e.arguments[0]));
    case Kind::kCompare: {
      // `field = null` tests whether the field is absent.
      for (const size_t side : {size_t{0}, size_t{1}}) {
        if (!e.arguments[side].is(Kind::kNull) || !is_path(e.arguments[1 - side])) continue;
        return fmt::format("{}({})", e.text == "=" ? "attribute_not_exists" : "attribute_exists",
                           path(e.arguments[1 - side]));
      }
      std::optional<Expression> simple;
      if (!can_evaluate_operand(e.arguments[0]) || !can_evaluate_operand(e.arguments[1]))
        simple = simple_comparison(e, [&](const Expression& part) { return is_path(part); });
      const Expression& comparison = simple ? *simple : e;
      for (const size_t side : {size_t{0}, size_t{1}}) {
        const Expression& other = comparison.arguments[1 - side];
        const Field* field =
            comparison.arguments[side].is(Kind::kName) ? entity_.field(comparison.arguments[side].text) : nullptr;
        if (field == nullptr || !field->revision || comparison.text != "=" || is_path(other)) continue;
        const std::string name = path(comparison.arguments[side]);
        const std::string value = operand(other, &comparison.arguments[side]);
        return is_revision(name, value, namer_.value("zero", value_of(number_expression("0"), field), values_));
      }
      const std::string left = operand(comparison.arguments[0], &comparison.arguments[1]);
      return fmt::format("{} {} {}", left, comparison.text, operand(comparison.arguments[1], &comparison.arguments[0]));
    }
    case Kind::kBetween: {
      const std::string subject = operand(e.arguments[0], nullptr);
      const std::string low = operand(e.arguments[1], &e.arguments[0]);
      // DynamoDB rejects a BETWEEN whose lower bound is greater than the upper. Bounds from inputs may be so; such a
      // range matches nothing.
      const auto is_fixed = [&](const Expression& bound) {
        return is_path(bound) || bound.is(Kind::kText) || bound.is(Kind::kNumber);
      };
      if (!is_fixed(e.arguments[1]) || !is_fixed(e.arguments[2]))
        return fmt::format("({} >= {} AND {} <= {})", subject, low, subject, operand(e.arguments[2], &e.arguments[0]));
      return fmt::format("{} BETWEEN {} AND {}", subject, low, operand(e.arguments[2], &e.arguments[0]));
    }
    case Kind::kIn: {
      std::string list;
      const std::string subject = operand(e.arguments[0], nullptr);
      for (size_t i = 1; i < e.arguments.size(); ++i)
        list += (i == 1 ? "" : ", ") + operand(e.arguments[i], &e.arguments[0]);
      return fmt::format("{} IN ({})", subject, list);
    }
    case Kind::kCall:
      return call(e);
    default: {
      // A boolean field, or an expression that is itself true or false.
      const std::string left = operand(e, nullptr);
      return fmt::format("{} = {}", left,
                         namer_.value("true", value_of({.kind = Kind::kBool, .text = "true", .truth = true}), values_));
    }
  }
}

}  // namespace trestle::design
