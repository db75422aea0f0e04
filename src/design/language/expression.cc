#include "design/language/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "design/language/quantity.h"
#include "design/language/word.h"

namespace trestle::design {

using Kind = Expression::Kind;

namespace {

constexpr int kDepthMax = 64;

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::toupper(static_cast<unsigned char>(a[i])) != std::toupper(static_cast<unsigned char>(b[i]))) return false;
  }
  return true;
}

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, Place place) : text_(text), place_(place) {}

  std::optional<Expression> whole() {
    auto expression = disjunction(0);
    skip_space();
    if (expression && at_ < text_.size()) return fail("an operator or the end");
    return expression;
  }
  std::string wanted() const { return wanted_; }
  size_t failed_at() const { return failed_at_; }

 private:
  using Parsed = std::optional<Expression>;

  std::nullopt_t fail(std::string_view wanted) {
    if (wanted_.empty()) {
      wanted_ = wanted;
      failed_at_ = at_;
    }
    return std::nullopt;
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(std::string_view symbol) {
    skip_space();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (!same_word(text_.substr(at_, word.size()), word)) return false;
    if (at_ + word.size() < text_.size() && is_word(text_[at_ + word.size()])) return false;
    at_ += word.size();
    return true;
  }
  Expression make(Kind kind, std::string text = {}, std::vector<Expression> arguments = {}) const {
    return {.kind = kind, .text = std::move(text), .arguments = std::move(arguments), .place = place_};
  }

  Parsed disjunction(int depth) {
    if (depth > kDepthMax) return fail("less nesting");
    auto left = conjunction(depth);
    while (left && take_word("OR")) {
      auto right = conjunction(depth);
      if (!right) return std::nullopt;
      left = make(Kind::kOr, {}, {std::move(*left), std::move(*right)});
    }
    return left;
  }
  Parsed conjunction(int depth) {
    auto left = negation(depth);
    while (left && take_word("AND")) {
      auto right = negation(depth);
      if (!right) return std::nullopt;
      left = make(Kind::kAnd, {}, {std::move(*left), std::move(*right)});
    }
    return left;
  }
  Parsed negation(int depth) {
    if (depth > kDepthMax) return fail("less nesting");
    if (!take_word("NOT")) return comparison(depth);
    auto inner = negation(depth + 1);
    if (!inner) return std::nullopt;
    return make(Kind::kNot, {}, {std::move(*inner)});
  }
  Parsed comparison(int depth) {
    auto left = sum(depth);
    if (!left) return std::nullopt;
    if (take_word("BETWEEN")) {
      auto low = sum(depth);
      if (!low) return std::nullopt;
      if (!take_word("AND")) return fail("AND");
      auto high = sum(depth);
      if (!high) return std::nullopt;
      return make(Kind::kBetween, {}, {std::move(*left), std::move(*low), std::move(*high)});
    }
    if (take_word("IN")) {
      if (!take("(")) return fail("(");
      std::vector<Expression> arguments;
      arguments.push_back(std::move(*left));
      do {
        auto value = sum(depth);
        if (!value) return std::nullopt;
        arguments.push_back(std::move(*value));
      } while (take(","));
      if (!take(")")) return fail(")");
      return make(Kind::kIn, {}, std::move(arguments));
    }
    for (std::string_view symbol : {"<>", "<=", ">=", "=", "<", ">"}) {
      if (!take(symbol)) continue;
      auto right = sum(depth);
      if (!right) return std::nullopt;
      return make(Kind::kCompare, std::string(symbol), {std::move(*left), std::move(*right)});
    }
    return left;
  }
  Parsed sum(int depth) {
    auto left = product(depth);
    while (left) {
      const bool plus = take("+");
      if (!plus && !take("-")) break;
      auto right = product(depth);
      if (!right) return std::nullopt;
      left = make(plus ? Kind::kAdd : Kind::kSubtract, {}, {std::move(*left), std::move(*right)});
    }
    return left;
  }
  Parsed product(int depth) {
    auto left = access(depth);
    while (left) {
      const bool times = take("*");
      if (!times && !take("/")) break;
      auto right = access(depth);
      if (!right) return std::nullopt;
      left = make(times ? Kind::kMultiply : Kind::kDivide, {}, {std::move(*left), std::move(*right)});
    }
    return left;
  }
  Parsed access(int depth) {
    auto base = primary(depth);
    while (base) {
      if (at_ < text_.size() && text_[at_] == '.') {
        ++at_;
        const std::string name = name_here();
        if (name.empty()) return fail("a name after the dot");
        base = make(Kind::kMember, name, {std::move(*base)});
      } else if (at_ < text_.size() && text_[at_] == '[') {
        ++at_;
        auto index = disjunction(depth + 1);
        if (!index) return std::nullopt;
        if (!take("]")) return fail("]");
        base = make(Kind::kIndex, {}, {std::move(*base), std::move(*index)});
      } else {
        break;
      }
    }
    return base;
  }
  std::string name_here() {
    const size_t start = at_;
    if (at_ < text_.size() && (is_name_start(text_[at_]))) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    }
    return std::string(text_.substr(start, at_ - start));
  }
  Parsed primary(int depth) {
    if (depth > kDepthMax) return fail("less nesting");
    skip_space();
    if (at_ >= text_.size()) return fail("a value");
    const char c = text_[at_];
    if (c == '(') {
      ++at_;
      auto inner = disjunction(depth + 1);
      if (!inner) return std::nullopt;
      if (!take(")")) return fail(")");
      return inner;
    }
    if (c == '\'' || c == '"') return literal(c);
    if (c == '$' || c == ':') {
      ++at_;
      const std::string name = name_here();
      if (name.empty()) return fail("the name of an input");
      return make(Kind::kInput, name);
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    if (c == '-') return negative(depth);
    if (c == '#') ++at_;  // `#status`: an expression attribute name, as in DynamoDB's expressions
    if (at_ < text_.size() && is_name_start(text_[at_])) return name_or_call(depth, c == '#');
    return fail("a value");
  }
  // A negative number or duration is one literal; any other `-x` is `0 - x`.
  Parsed negative(int depth) {
    ++at_;
    auto inner = access(depth + 1);
    if (!inner) return std::nullopt;
    if ((inner->is(Kind::kNumber) || inner->is(Kind::kDuration)) && !inner->text.starts_with('-')) {
      inner->text = "-" + inner->text;
      inner->duration_s = -inner->duration_s;
      return inner;
    }
    return make(Kind::kSubtract, {}, {make(Kind::kNumber, "0"), std::move(*inner)});
  }
  Parsed literal(char quote) {
    const size_t start = ++at_;
    const size_t end = text_.find(quote, start);
    if (end == std::string_view::npos) return fail("the closing quote");
    at_ = end + 1;
    return make(Kind::kText, std::string(text_.substr(start, end - start)));
  }
  Parsed number() {
    const size_t start = at_++;
    while (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.'))
      ++at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::string_view written = text_.substr(start, at_ - start);
    if (std::isalpha(static_cast<unsigned char>(written.back())) == 0) return make(Kind::kNumber, std::string(written));
    const auto seconds = parse_duration_s(written);
    if (!seconds) {
      at_ = start;
      return fail("a number or a duration such as 90d");
    }
    auto duration = make(Kind::kDuration, std::string(written));
    duration.duration_s = *seconds;
    return duration;
  }
  Parsed name_or_call(int depth, bool aliased) {
    const std::string name = name_here();
    if (!aliased) {
      if (same_word(name, "true") || same_word(name, "false")) {
        auto truth = make(Kind::kBool, name);
        truth.truth = same_word(name, "true");
        return truth;
      }
      if (name == "null") return make(Kind::kNull);
    }
    if (aliased || !take("(")) {
      auto result = make(Kind::kName, name);
      result.truth = aliased;
      return result;
    }
    std::vector<Expression> arguments;
    if (!take(")")) {
      do {
        auto argument = disjunction(depth + 1);
        if (!argument) return std::nullopt;
        arguments.push_back(std::move(*argument));
      } while (take(","));
      if (!take(")")) return fail(")");
    }
    return make(Kind::kCall, name, std::move(arguments));
  }

  const std::string_view text_;
  const Place place_;
  size_t at_ = 0;
  std::string wanted_;
  size_t failed_at_ = 0;
};

std::string joined_expressions(const std::vector<Expression>& expressions, size_t from, std::string_view separator) {
  std::string out;
  for (size_t i = from; i < expressions.size(); ++i) {
    if (i > from) out += separator;
    out += expression_text(expressions[i]);
  }
  return out;
}

}  // namespace

std::optional<Expression> parse_expression(std::string_view text, Place place, Findings& findings) {
  if (text.size() > kExpressionTextMax) {
    findings.mistake("T005", place, fmt::format("an expression has at most {} characters", kExpressionTextMax));
    return std::nullopt;
  }
  ExpressionParser parser(text, place);
  auto expression = parser.whole();
  if (!expression) {
    // YAML ends a plain value inside {...} or [...] at a comma, which leaves a parenthesis open.
    const bool open = std::ranges::count(text, '(') > std::ranges::count(text, ')');
    findings.mistake("T005", place,
                     fmt::format("`{}`: expected {} at character {}", text, parser.wanted(), parser.failed_at() + 1),
                     open ? "inside {...}, quote an expression that contains a comma" : "");
  }
  return expression;
}

std::string name_text(std::string_view name) { return (name.starts_with('$') ? "" : "$") + std::string(name); }

std::string expression_text(const Expression& e) {
  const auto infix = [&](std::string_view symbol) {
    // Adds parentheses where parsing the text would otherwise group it differently.
    const auto is_sum = [](const Expression& side) { return side.is(Kind::kAdd) || side.is(Kind::kSubtract); };
    const auto is_product = [](const Expression& side) { return side.is(Kind::kMultiply) || side.is(Kind::kDivide); };
    const auto side = [](const Expression& expression, bool grouped) {
      return grouped ? "(" + expression_text(expression) + ")" : expression_text(expression);
    };
    const bool left = is_product(e) && is_sum(e.arguments[0]);
    const bool right = (is_product(e) && (is_sum(e.arguments[1]) || is_product(e.arguments[1]))) ||
                       (is_sum(e) && is_sum(e.arguments[1]));
    return fmt::format("{} {} {}", side(e.arguments[0], left), symbol, side(e.arguments[1], right));
  };
  // OR within AND needs parentheses; AND within OR gets them for readability.
  const auto part = [&](const Expression& expression) {
    const bool grouped = (expression.is(Kind::kAnd) || expression.is(Kind::kOr)) && expression.kind != e.kind;
    return grouped ? "(" + expression_text(expression) + ")" : expression_text(expression);
  };
  switch (e.kind) {
    case Kind::kText:
      return fmt::format("'{}'", e.text);
    case Kind::kNumber:
    case Kind::kDuration:
    case Kind::kName:
      return e.text;
    case Kind::kBool:
      return e.truth ? "true" : "false";
    case Kind::kNull:
      return "null";
    case Kind::kInput:
      return name_text(e.text);
    case Kind::kMember:
      return expression_text(e.arguments[0]) + "." + e.text;
    case Kind::kIndex:
      return fmt::format("{}[{}]", expression_text(e.arguments[0]), expression_text(e.arguments[1]));
    case Kind::kCall:
      return fmt::format("{}({})", e.text, joined_expressions(e.arguments, 0, ", "));
    case Kind::kAdd:
      return infix("+");
    case Kind::kSubtract:
      return infix("-");
    case Kind::kMultiply:
      return infix("*");
    case Kind::kDivide:
      return infix("/");
    case Kind::kCompare:
      return infix(e.text);
    case Kind::kBetween:
      return fmt::format("{} BETWEEN {} AND {}", expression_text(e.arguments[0]), expression_text(e.arguments[1]),
                         expression_text(e.arguments[2]));
    case Kind::kIn:
      return fmt::format("{} IN ({})", expression_text(e.arguments[0]), joined_expressions(e.arguments, 1, ", "));
    case Kind::kAnd:
      return fmt::format("{} AND {}", part(e.arguments[0]), part(e.arguments[1]));
    case Kind::kOr:
      return fmt::format("{} OR {}", part(e.arguments[0]), part(e.arguments[1]));
    case Kind::kNot:
      return fmt::format("NOT ({})", expression_text(e.arguments[0]));
  }
  return {};
}

}  // namespace trestle::design
