#include "design/sample/sample_expression.h"

#include <algorithm>

#include "design/sample/sample_value.h"

namespace trestle::design {

using Kind = Expression::Kind;

std::optional<int64_t> sample_seconds(const Expression& e, const Entity& entity, const FieldValues& values,
                                      int64_t now_s) {
  switch (e.kind) {
    case Kind::kDuration:
      return e.duration_s;
    case Kind::kName: {
      if (e.text == "now") return now_s;
      const Field* field = entity.field(e.text);
      const auto value = values.find(e.text);
      return field == nullptr || value == values.end() ? std::nullopt : seconds_of(field->type, value->second);
    }
    case Kind::kAdd:
    case Kind::kSubtract: {
      const auto left = sample_seconds(e.arguments[0], entity, values, now_s);
      const auto right = sample_seconds(e.arguments[1], entity, values, now_s);
      if (!left || !right) return std::nullopt;
      return e.is(Kind::kAdd) ? *left + *right : *left - *right;
    }
    case Kind::kCall: {
      if (e.text != "choose" || e.arguments.empty() || !e.arguments[0].is(Kind::kName)) return std::nullopt;
      const auto value = values.find(e.arguments[0].text);
      for (size_t i = 1; i + 1 < e.arguments.size(); i += 2) {
        if (value != values.end() && e.arguments[i].text == value->second)
          return sample_seconds(e.arguments[i + 1], entity, values, now_s);
      }
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

bool sample_holds(const Expression& e, const FieldValues& values) {
  const auto text_of = [&](const Expression& side) -> std::optional<std::string> {
    if (side.is(Kind::kBool)) return side.truth ? "true" : "false";
    if (!side.is(Kind::kName)) return side.text;
    const auto value = values.find(side.text);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  };
  switch (e.kind) {
    case Kind::kAnd:
      return sample_holds(e.arguments[0], values) && sample_holds(e.arguments[1], values);
    case Kind::kOr:
      return sample_holds(e.arguments[0], values) || sample_holds(e.arguments[1], values);
    case Kind::kNot:
      return !sample_holds(e.arguments[0], values);
    case Kind::kCompare: {
      const auto left = text_of(e.arguments[0]);
      const auto right = text_of(e.arguments[1]);
      if (e.text == "=") return left && right && *left == *right;
      return e.text != "<>" || !left || !right || *left != *right;
    }
    case Kind::kIn: {
      const auto left = text_of(e.arguments[0]);
      return std::any_of(e.arguments.begin() + 1, e.arguments.end(),
                         [&](const Expression& expression) { return left && text_of(expression) == left; });
    }
    case Kind::kCall: {
      if (e.arguments.size() != 1 || !e.arguments[0].is(Kind::kName)) return true;
      const bool exists = values.contains(e.arguments[0].text);
      if (e.text == "attribute_exists" || e.text == "exists") return exists;
      return e.text != "attribute_not_exists" || !exists;
    }
    default:
      return true;
  }
}

}  // namespace trestle::design
