#include "expression/partiql/partiql_parser_impl.h"

#include <algorithm>
#include <optional>

namespace trestle {
namespace {

// The types that may follow IS. Of a two-word type, only the first word is listed.
bool is_type_name(std::string_view word) {
  static constexpr std::string_view kNames[] = {
      "any",      "bag",      "blob",     "bool",   "boolean", "char",      "character", "clob",   "date",
      "decimal",  "dec",      "double",   "float",  "int",     "int2",      "int4",      "int8",   "integer",
      "integer2", "integer4", "integer8", "list",   "missing", "null",      "numeric",   "real",   "sexp",
      "smallint", "string",   "struct",   "symbol", "time",    "timestamp", "tuple",     "varchar"};
  return std::ranges::find(kNames, word) != std::end(kNames);
}

std::optional<Comparison> comparison_of(std::string_view text) {
  if (text == "=") return Comparison::kEqual;
  if (text == "<>") return Comparison::kNotEqual;
  if (text == "<") return Comparison::kLess;
  if (text == "<=") return Comparison::kLessOrEqual;
  if (text == ">") return Comparison::kGreater;
  if (text == ">=") return Comparison::kGreaterOrEqual;
  return std::nullopt;
}

}  // namespace

Result<uint32_t> PartiqlParser::disjunction() {
  if (++depth_ > kDepthMax) return malformed("");
  auto result = chain(PartiqlKind::kOr, "or", &PartiqlParser::conjunction);
  --depth_;
  return result;
}
Result<uint32_t> PartiqlParser::conjunction() { return chain(PartiqlKind::kAnd, "and", &PartiqlParser::negation); }

Result<uint32_t> PartiqlParser::chain(PartiqlKind kind, std::string_view word,
                                      Result<uint32_t> (PartiqlParser::*operand)()) {
  TRY_INTO(const uint32_t first, (this->*operand)());
  if (!is_operator(word)) return first;
  PartiqlNode node{.kind = kind, .children = {first}, .at = token().at};
  while (take_operator(word)) {
    TRY(require_operand());
    TRY_INTO(const uint32_t next, (this->*operand)());
    node.children.push_back(next);
  }
  return add(std::move(node));
}

Result<void> PartiqlParser::require_operand() const {
  if (is(PartiqlToken::kEnd)) return malformed("Missing right-hand side expression of infix operator");
  return {};
}

Result<uint32_t> PartiqlParser::negation() {
  if (!is_operator("not")) return comparison();
  PartiqlNode node{.kind = PartiqlKind::kNot, .at = token().at};
  ++at_;
  if (++depth_ > kDepthMax) return malformed("");
  TRY_INTO(const uint32_t child, negation());
  --depth_;
  node.children = {child};
  return add(std::move(node));
}

Result<uint32_t> PartiqlParser::comparison() {
  TRY_INTO(uint32_t left, sum());
  while (is(PartiqlToken::kOperator)) {
    const PartiqlPosition at = token().at;
    bool negated = false;
    if (is_operator("not")) {
      const PartiqlTokenText& next = tokens_[at_ + 1];
      if (next.kind != PartiqlToken::kOperator ||
          (next.text != "in" && next.text != "between" && next.text != "like")) {
        break;
      }
      ++at_;
      negated = true;
    }
    const std::string word = token().text;
    PartiqlNode node{.children = {left}, .at = at};
    if (const auto symbol = comparison_of(word)) {
      node.kind = PartiqlKind::kComparison;
      node.comparison = *symbol;
    } else if (word == "in") {
      node.kind = PartiqlKind::kIn;
    } else if (word == "between") {
      node.kind = PartiqlKind::kBetween;
    } else if (word == "like") {
      node.kind = PartiqlKind::kLike;
    } else if (word == "is") {
      TRY_INTO(left, type_test(left));
      continue;
    } else {
      break;
    }
    ++at_;
    TRY(require_operand());
    TRY_INTO(const uint32_t right, node.kind == PartiqlKind::kIn ? in_list() : sum());
    node.children.push_back(right);
    if (node.kind == PartiqlKind::kBetween) {
      if (!take_operator("and")) return malformed("Expected AND after BETWEEN");
      TRY(require_operand());
      TRY_INTO(const uint32_t upper, sum());
      node.children.push_back(upper);
    }
    left = add(std::move(node));
    if (negated) left = add({.kind = PartiqlKind::kNot, .children = {left}, .at = at});
  }
  return left;
}

Result<uint32_t> PartiqlParser::type_test(uint32_t value) {
  PartiqlNode node{.kind = PartiqlKind::kIs, .children = {value}, .at = token().at};
  ++at_;
  const bool negated = take_operator("not");
  std::string type = lower(token().text);
  if ((!is(PartiqlToken::kKeyword) && !is(PartiqlToken::kIdentifier)) || !is_type_name(type)) {
    return malformed("Expected type name");
  }
  ++at_;
  if (type == "double" && !take_keyword("precision")) return malformed("Expected type name");
  if (type == "character") take_keyword("varying");
  node.text = std::move(type);
  const PartiqlPosition at = node.at;
  uint32_t index = add(std::move(node));
  if (negated) index = add({.kind = PartiqlKind::kNot, .children = {index}, .at = at});
  return index;
}

// IN ('a', 'b') is parsed as a list.
Result<uint32_t> PartiqlParser::in_list() {
  if (!is(PartiqlToken::kLeftParenthesis)) return sum();
  PartiqlNode node{.kind = PartiqlKind::kList, .at = token().at};
  ++at_;
  TRY(elements(node, PartiqlToken::kRightParenthesis, "RIGHT_PAREN"));
  return add(std::move(node));
}

Result<uint32_t> PartiqlParser::sum() {
  TRY_INTO(uint32_t left, product());
  while (is_operator("+") || is_operator("-") || is_operator("||")) {
    PartiqlNode node{.kind = is_operator("+")   ? PartiqlKind::kPlus
                             : is_operator("-") ? PartiqlKind::kMinus
                                                : PartiqlKind::kOtherArithmetic,
                     .at = token().at};
    ++at_;
    TRY(require_operand());
    TRY_INTO(const uint32_t right, product());
    node.children = {left, right};
    left = add(std::move(node));
  }
  return left;
}

Result<uint32_t> PartiqlParser::product() {
  TRY_INTO(uint32_t left, unary());
  while (is_operator("*") || is_operator("/") || is_operator("%")) {
    PartiqlNode node{.kind = PartiqlKind::kOtherArithmetic, .at = token().at};
    ++at_;
    TRY(require_operand());
    TRY_INTO(const uint32_t right, unary());
    node.children = {left, right};
    left = add(std::move(node));
  }
  return left;
}

// A sign before a number is part of the number.
Result<uint32_t> PartiqlParser::unary() {
  if (!is_operator("-") && !is_operator("+")) return path_term();
  const bool minus = is_operator("-");
  const PartiqlPosition at = token().at;
  ++at_;
  if (++depth_ > kDepthMax) return malformed("");
  TRY_INTO(const uint32_t child, unary());
  --depth_;
  PartiqlNode& node = statement_.nodes[child];
  if (node.kind != PartiqlKind::kNumber) {
    return add({.kind = PartiqlKind::kOtherArithmetic, .children = {child}, .at = at});
  }
  if (minus) {
    if (node.text.starts_with('-')) {
      node.text.erase(0, 1);
    } else {
      node.text.insert(0, 1, '-');
    }
  }
  return child;
}

}  // namespace trestle
