// The expression language inside a design's strings: conditions (`status = pending AND expires_at > now`), values
// (`created_at + 1h`, `sha256($api_key)`), results (`sum(items.count)`) and raw key conditions (`PK = 'SITE#{domain}'
// AND begins_with(SK, 'REG#')`).
//
// A bare name is a field of the current item, or one of: now, today, caller, items, old. `$name` is an input of the
// operation or the name of an earlier step. Conditions are DynamoDB's condition expressions in this notation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/finding.h"

namespace trestle::design {

inline constexpr size_t kExpressionTextMax = 4096;

struct Expression {
  enum class Kind {
    kText,      // 'literal'; may be a template in a raw key condition
    kNumber,    // 12, 0.5
    kBool,      // true, false
    kNull,      // null
    kDuration,  // 90d
    kName,      // field
    kInput,     // $name
    kMember,    // arguments[0] . text
    kIndex,     // arguments[0] [ arguments[1] ]
    kCall,      // text ( arguments )
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kCompare,  // text is = <> < <= > >=
    kBetween,  // arguments[0] BETWEEN arguments[1] AND arguments[2]
    kIn,       // arguments[0] IN (arguments[1], ...)
    kAnd,
    kOr,
    kNot,
  };
  Kind kind = Kind::kNull;
  std::string text;
  int64_t duration_s = 0;
  bool truth = false;
  std::vector<Expression> arguments;
  Place place;

  bool is(Kind k) const { return kind == k; }
  bool is_name(std::string_view name) const { return kind == Kind::kName && text == name; }
};

// On failure adds a mistake (T005) with the position in `text` and what was expected, and returns nothing.
std::optional<Expression> parse_expression(std::string_view text, Place place, Findings& findings);
// The text of the expression in one canonical spelling.
std::string expression_text(const Expression& expression);

// Returns `$name`. Names made by the planner and the runtime already begin with `$`, so they cannot collide with inputs
// and steps of a design.
std::string name_text(std::string_view name);

// Calls `visit` with the expression and all its subexpressions, outermost first.
template <class Visit>
void each_expression(const Expression& expression, const Visit& visit) {
  visit(expression);
  for (const Expression& argument : expression.arguments) each_expression(argument, visit);
}

}  // namespace trestle::design
