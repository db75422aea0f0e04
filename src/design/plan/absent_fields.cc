#include "design/plan/absent_fields.h"

#include <algorithm>

#include "design/plan/plan_impl.h"

namespace trestle::design {

using Kind = Expression::Kind;

bool lacks_value(const Expression& value, const std::set<std::string>& absent) {
  const auto lacks = [&](const Expression& argument) { return lacks_value(argument, absent); };
  switch (value.kind) {
    case Kind::kNull:
      return true;
    case Kind::kName:
      return absent.contains(value.text);
    case Kind::kMember:
    case Kind::kIndex:
      return lacks(value.arguments[0]);
    case Kind::kAdd:
    case Kind::kSubtract:
    case Kind::kMultiply:
    case Kind::kDivide:
      return std::ranges::any_of(value.arguments, lacks);
    case Kind::kCall:
      // These calls can return a value even if an argument is absent.
      return value.text == "coalesce" && std::ranges::all_of(value.arguments, lacks);
    default:
      return false;
  }
}

bool cannot_hold(const Expression& condition, const std::set<std::string>& absent) {
  const auto lacks = [&](const Expression& argument) { return lacks_value(argument, absent); };
  const auto fails = [&](const Expression& argument) { return cannot_hold(argument, absent); };
  switch (condition.kind) {
    case Kind::kCompare: {
      const auto is_null = [](const Expression& side) { return side.is(Kind::kNull); };
      // A comparison with null tests whether the value is absent.
      if (std::ranges::any_of(condition.arguments, is_null))
        return condition.text == "<>" && std::ranges::all_of(condition.arguments, lacks);
      if (condition.text == "<>") return false;
      return std::ranges::any_of(condition.arguments, lacks);
    }
    case Kind::kBetween:
      return std::ranges::any_of(condition.arguments, lacks);
    case Kind::kIn:
      return lacks(condition.arguments[0]);
    case Kind::kAnd:
      return std::ranges::any_of(condition.arguments, fails);
    case Kind::kOr:
      return std::ranges::all_of(condition.arguments, fails);
    case Kind::kCall: {
      static const std::set<std::string, std::less<>> kTests = {"exists", "attribute_exists", "begins_with",
                                                                "contains"};
      return kTests.contains(condition.text) && !condition.arguments.empty() && lacks(condition.arguments[0]);
    }
    case Kind::kName:
      return absent.contains(condition.text);
    default:
      return false;
  }
}

bool lacks_entry(const Entity& entity, const IndexEntry& entry, const std::set<std::string>& absent) {
  for (const std::string& field : fields_of(entity, entry.key)) {
    if (absent.contains(field)) return true;
  }
  return entry.condition && cannot_hold(*entry.condition, absent);
}

}  // namespace trestle::design
