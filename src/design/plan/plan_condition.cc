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

// How a time on the right of the comparison is rounded.
Rounding rounding_of(std::string_view symbol) {
  if (symbol == "=" || symbol == "<>") return Rounding::kNone;
  return symbol == "<" || symbol == ">=" ? Rounding::kUp : Rounding::kDown;
}

// `a BETWEEN b AND c` and `a IN (b, c)` as comparisons, each with the field on the left: `b <= a AND c >= a`, `b = a OR
// c = a`. For an `a` that is a value: it takes the type of each field that it is compared with.
Expression as_comparisons(const Expression& e) {
  const bool between = e.is(Kind::kBetween);
  std::optional<Expression> all;
  for (size_t i = 1; i < e.arguments.size(); ++i) {
    Expression one{.kind = Kind::kCompare,
                   .text = !between ? "="
                           : i == 1 ? "<="
                                    : ">=",
                   .arguments = {e.arguments[i], e.arguments[0]},
                   .place = e.place};
    all = !all ? std::move(one)
               : Expression{.kind = between ? Kind::kAnd : Kind::kOr, .arguments = {std::move(*all), std::move(one)}};
  }
  return std::move(*all);
}

bool is_size(const Expression& e) { return e.is(Kind::kCall) && e.text == "size" && e.arguments.size() == 1; }

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

std::string Namer::value(std::string_view hint, ValueSource source, std::vector<PlannedValue>& values, Bound bound) {
  // A value is stored in the form of the field it is compared with, so one literal may become two values.
  std::string meaning = source_text(source);
  if (source.field != nullptr) meaning += " as " + type_text(source.field->type);
  if (source.member_type != nullptr) meaning += " as " + type_text(*source.member_type);
  // A value that is written must be valid for the field, one that is compared need not be.
  const bool literal = source.expression.is(Kind::kText) || source.expression.is(Kind::kNumber);
  if (source.is_compared && source.field != nullptr && !literal) meaning += ", compared";
  if (source.rounding != Rounding::kDown) meaning += source.rounding == Rounding::kUp ? ", or later" : ", exactly";
  const std::string result = placeholder(sources_, ":", hint, meaning);
  if (std::none_of(values.begin(), values.end(),
                   [&](const PlannedValue& planned) { return planned.placeholder == result; })) {
    values.push_back({.placeholder = result, .source = std::move(source), .bound = bound});
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
  if (is_size(e)) return is_path(e.arguments[0]) || !has_path(e);
  return is_path(e) || !has_path(e);
}

// The declared type of a field or of a value within it; null if unknown.
const FieldType* ConditionWriter::type_of(const Expression& path) const {
  if (path.is(Kind::kName)) {
    const Field* field = entity_.field(path.text);
    return field == nullptr ? nullptr : &field->type;
  }
  const FieldType* base = type_of(path.arguments[0]);
  if (base == nullptr) return nullptr;
  if (base->base != BaseType::kRecord) return base->element.get();
  const NamedRecord* record = path.is(Kind::kMember) ? design_.type(base->record) : nullptr;
  if (record == nullptr) return nullptr;
  const auto field = std::ranges::find(record->fields, path.text, &Field::name);
  return field == record->fields.end() ? nullptr : &field->type;
}

// Whether DynamoDB can compare two operands. It compares times as the texts or numbers that are stored, so they must be
// of one form, and it rejects the comparison of an attribute with itself.
bool ConditionWriter::can_compare(const Expression& a, const Expression& b) const {
  if (!can_evaluate_operand(a) || !can_evaluate_operand(b)) return false;
  if (!is_path(a) || !is_path(b)) return true;
  if (expression_text(a) == expression_text(b)) return false;
  const FieldType* left = type_of(a);
  const FieldType* right = type_of(b);
  if (left == nullptr || right == nullptr || !is_time(*left) || !is_time(*right)) return true;
  if (left->base != right->base || left->milliseconds != right->milliseconds) return false;
  return left->base == BaseType::kEpoch || left->resolution_ms == right->resolution_ms;
}

bool ConditionWriter::can_evaluate(const Expression& e) const {
  static const std::set<std::string, std::less<>> kFunctions = {
      "attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size", "exists"};
  if (!has_path(e)) return true;
  bool closed = false;
  each_expression(e, [&](const Expression& part) {
    const Field* field = part.is(Kind::kName) ? entity_.field(part.text) : nullptr;
    // A field rendered by a key template is not comparable either.
    closed |= field != nullptr &&
              (is_stored_closed(entity_, *field) || stored_in(design_, entity_, field->name).key != nullptr);
  });
  const auto compares_first = [&] {
    return std::all_of(e.arguments.begin() + 1, e.arguments.end(),
                       [&](const Expression& part) { return can_compare(e.arguments[0], part); });
  };
  switch (e.kind) {
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kNot:
      return std::all_of(e.arguments.begin(), e.arguments.end(),
                         [&](const Expression& part) { return can_evaluate(part); });
    case Kind::kCompare: {
      const bool null = e.arguments[0].is(Kind::kNull) || e.arguments[1].is(Kind::kNull);
      if (null) return is_path(e.arguments[0]) || is_path(e.arguments[1]);
      if (closed) return false;
      if (can_evaluate_operand(e.arguments[0]) && can_evaluate_operand(e.arguments[1]))
        return can_compare(e.arguments[0], e.arguments[1]);
      const auto simple = simple_comparison(e, [&](const Expression& part) { return is_path(part); });
      return simple && can_compare(simple->arguments[0], simple->arguments[1]);
    }
    case Kind::kCall: {
      const bool presence = e.text == "attribute_exists" || e.text == "attribute_not_exists" || e.text == "exists";
      if (presence) return e.arguments.size() == 1 && is_path(e.arguments[0]);
      if (closed || !kFunctions.contains(e.text)) return false;
      // A list of times in an input need not have the form of the field.
      const FieldType* member =
          e.text == "contains" && e.arguments.size() == 2 && !is_path(e.arguments[0]) && is_path(e.arguments[1])
              ? type_of(e.arguments[1])
              : nullptr;
      if (member != nullptr && is_time(*member)) return false;
      return e.arguments.size() < 2 ? can_evaluate_operand(e.arguments[0]) : compares_first();
    }
    case Kind::kBetween:
    case Kind::kIn: {
      // The runtime looks for the value in a list or set.
      const auto is_many = [&](const Expression& part) {
        const FieldType* type = is_path(part) ? type_of(part) : nullptr;
        return type != nullptr && (type->base == BaseType::kSet || type->base == BaseType::kList);
      };
      if (closed || (e.is(Kind::kIn) && std::any_of(e.arguments.begin() + 1, e.arguments.end(), is_many))) return false;
      return compares_first();
    }
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
std::string ConditionWriter::operand(const Expression& e, const Expression* other, Rounding rounding) {
  if (is_path(e)) return path(e);
  if (is_size(e) && has_path(e)) return fmt::format("size({})", path(e.arguments[0]));
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
  ValueSource source = value_of(e, field);
  source.is_compared = true;
  const FieldType* type = other != nullptr && is_path(*other) ? type_of(*other) : nullptr;
  if (type != nullptr && (type->base == BaseType::kSet || type->base == BaseType::kList)) type = type->element.get();
  if (type != nullptr && is_time(*type)) {
    source.rounding = rounding;
    if (field == nullptr) source.member_type = type;
  }
  return namer_.value(hint, std::move(source), values_);
}

// A value that is compared as text: a number as its digits.
std::string ConditionWriter::text_operand(const Expression& e) {
  const bool named = e.is(Kind::kText) || e.is(Kind::kInput);
  const Expression text = e.is(Kind::kText) ? e : call_expression("text", {e});
  return namer_.value(named ? std::string_view(e.text) : std::string_view("value"), value_of(text), values_);
}

std::string ConditionWriter::call(const Expression& e) {
  const auto& arguments = e.arguments;
  if (e.text == "exists" && arguments.size() == 1 && is_path(arguments[0]))
    return fmt::format("attribute_exists({})", path(arguments[0]));
  if (arguments.size() == 2) {
    // A member of a list or set has the type of its members. Other values are not values of the field: a part of a
    // text, a list that may contain the field, the name of a type.
    const FieldType* type = is_path(arguments[0]) ? type_of(arguments[0]) : nullptr;
    const bool of_member = e.text == "contains" && type != nullptr && type->element != nullptr;
    const bool of_text = type != nullptr && stored_type(*type) == ValueType::kString && e.text != "attribute_type";
    const std::string whole = operand(arguments[0], nullptr);
    const std::string part = of_text && !is_path(arguments[1])
                                 ? text_operand(arguments[1])
                                 : operand(arguments[1], of_member ? &arguments[0] : nullptr, Rounding::kNone);
    return fmt::format("{}({}, {})", e.text, whole, part);
  }
  std::string list;
  for (size_t i = 0; i < arguments.size(); ++i) {
    list += (i == 0 ? "" : ", ") + operand(arguments[i], i > 0                  ? &arguments[0]
                                                         : arguments.size() > 1 ? &arguments[1]
                                                                                : nullptr);
  }
  return fmt::format("{}({})", e.text, list);
}

std::string ConditionWriter::text(const Expression& e) { return written(with_fields_first(e)); }

Expression ConditionWriter::with_fields_first(const Expression& e) const {
  if ((e.is(Kind::kBetween) || e.is(Kind::kIn)) && has_path(e) && !has_path(e.arguments[0])) return as_comparisons(e);
  if (!e.is(Kind::kAnd) && !e.is(Kind::kOr) && !e.is(Kind::kNot)) return e;
  Expression result = e;
  for (Expression& part : result.arguments) part = with_fields_first(part);
  return result;
}

std::string ConditionWriter::written(const Expression& e) {
  // Whatever contains no field, the runtime evaluates.
  if (!has_path(e)) {
    const std::string value = operand(e, nullptr);
    return fmt::format("{} = {}", value,
                       namer_.value("true", value_of({.kind = Kind::kBool, .text = "true", .truth = true}), values_));
  }
  const auto inner = [&](const Expression& part) {
    const std::string result = written(part);
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
        const std::string value = operand(other, &comparison.arguments[side], Rounding::kNone);
        return is_revision(name, value, namer_.value("zero", value_of(number_expression("0"), field), values_));
      }
      const std::string left =
          operand(comparison.arguments[0], &comparison.arguments[1], rounding_of(mirrored(comparison.text)));
      return fmt::format("{} {} {}", left, comparison.text,
                         operand(comparison.arguments[1], &comparison.arguments[0], rounding_of(comparison.text)));
    }
    case Kind::kBetween: {
      const std::string subject = operand(e.arguments[0], nullptr);
      const std::string low = operand(e.arguments[1], &e.arguments[0], Rounding::kUp);
      // DynamoDB rejects a BETWEEN whose lower bound is greater than the upper. Bounds from inputs may be so; such a
      // range matches nothing.
      const auto is_fixed = [&](const Expression& bound) {
        return is_path(bound) || bound.is(Kind::kText) || bound.is(Kind::kNumber);
      };
      if (!is_fixed(e.arguments[1]) || !is_fixed(e.arguments[2]))
        return fmt::format("({} >= {} AND {} <= {})", subject, low, subject,
                           operand(e.arguments[2], &e.arguments[0], Rounding::kDown));
      return fmt::format("{} BETWEEN {} AND {}", subject, low, operand(e.arguments[2], &e.arguments[0]));
    }
    case Kind::kIn: {
      std::string list;
      const std::string subject = operand(e.arguments[0], nullptr);
      for (size_t i = 1; i < e.arguments.size(); ++i)
        list += (i == 1 ? "" : ", ") + operand(e.arguments[i], &e.arguments[0], Rounding::kNone);
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
