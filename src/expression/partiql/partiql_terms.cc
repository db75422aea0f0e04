#include "expression/partiql/partiql_parser_impl.h"

#include <algorithm>
#include <charconv>

namespace trestle {
namespace {

// Keywords that are called as functions.
bool is_function_keyword(std::string_view word) {
  static constexpr std::string_view kNames[] = {
      "avg", "cast",   "char_length", "character_length", "coalesce", "count", "exists", "extract", "lower", "max",
      "min", "nullif", "size",        "substring",        "sum",      "trim",  "upper"};
  return std::ranges::find(kNames, word) != std::end(kNames);
}

}  // namespace

Result<uint32_t> PartiqlParser::path_term() {
  TRY_INTO(const uint32_t node_index, term());
  if (!is(PartiqlToken::kDot) && !is(PartiqlToken::kLeftBracket)) return node_index;
  PartiqlPath path = statement_.nodes[node_index].path;
  const bool is_path = statement_.nodes[node_index].kind == PartiqlKind::kPath;
  TRY(path_steps(path));
  if (!is_path) return unexpected_component(statement_.nodes[node_index].at);
  statement_.nodes[node_index].path = std::move(path);
  return node_index;
}

Result<void> PartiqlParser::path_steps(PartiqlPath& path) {
  while (true) {
    if (take(PartiqlToken::kDot)) {
      if (is_operator("*")) return unexpected_component(token().at);
      if (!is_name()) return malformed("Invalid path dot component");
      path.push_back({.name = token().text});
      ++at_;
    } else if (take(PartiqlToken::kLeftBracket)) {
      if (is_operator("*")) return unexpected_component(token().at);
      TRY_INTO(PartiqlStep step, bracket_step());
      path.push_back(std::move(step));
      TRY(expect(PartiqlToken::kRightBracket, "RIGHT_BRACKET"));
    } else {
      return {};
    }
  }
}

Result<PartiqlStep> PartiqlParser::bracket_step() {
  TRY_INTO(const uint32_t node_index, disjunction());
  const PartiqlNode& node = statement_.nodes[node_index];
  if (node.kind == PartiqlKind::kString) return PartiqlStep{.name = node.text};
  if (node.kind != PartiqlKind::kNumber) return unexpected_component(node.at);
  std::string_view digits = node.text;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  uint64_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (end != digits.data() + digits.size()) return unexpected_component(node.at);
  if (error != std::errc() || index > kListIndexMax || (negative && index > 0)) {
    return invalid(fmt::format("List index is not within the allowable range; index: [{}] at {}", node.text,
                               position_text(node.at)));
  }
  return PartiqlStep{.index = static_cast<uint32_t>(index), .is_index = true};
}

Result<uint32_t> PartiqlParser::term() {
  const PartiqlTokenText& here = token();
  switch (here.kind) {
    case PartiqlToken::kIdentifier:
      if (tokens_[at_ + 1].kind == PartiqlToken::kLeftParenthesis) return function();
      [[fallthrough]];
    case PartiqlToken::kQuoted: {
      PartiqlNode node{.kind = PartiqlKind::kPath, .path = {{.name = here.text}}, .at = here.at};
      ++at_;
      return add(std::move(node));
    }
    case PartiqlToken::kString:
      return literal(PartiqlKind::kString);
    case PartiqlToken::kNumber:
      return literal(PartiqlKind::kNumber);
    case PartiqlToken::kParameter: {
      PartiqlNode node{.kind = PartiqlKind::kParameter, .number = statement_.parameter_count++, .at = here.at};
      ++at_;
      return add(std::move(node));
    }
    case PartiqlToken::kLeftParenthesis:
      return parenthesis();
    case PartiqlToken::kLeftBracket:
      return sequence(PartiqlKind::kList, PartiqlToken::kRightBracket, "RIGHT_BRACKET");
    case PartiqlToken::kLeftBag:
      return sequence(PartiqlKind::kBag, PartiqlToken::kRightBag, "RIGHT_DOUBLE_ANGLE_BRACKET");
    case PartiqlToken::kLeftBrace:
      return map();
    case PartiqlToken::kKeyword:
      return keyword_term();
    case PartiqlToken::kOperator:
      return malformed("Unexpected operator");
    default:
      return malformed("Unexpected term");
  }
}

Result<uint32_t> PartiqlParser::literal(PartiqlKind kind) {
  PartiqlNode node{.kind = kind, .text = token().text, .at = token().at};
  ++at_;
  return add(std::move(node));
}

Result<uint32_t> PartiqlParser::keyword_term() {
  const PartiqlTokenText& here = token();
  if (here.text == "true") return literal(PartiqlKind::kTrue);
  if (here.text == "false") return literal(PartiqlKind::kFalse);
  if (here.text == "null") return literal(PartiqlKind::kNull);
  if (here.text == "missing") return literal(PartiqlKind::kMissing);
  if (is_function_keyword(here.text) && tokens_[at_ + 1].kind == PartiqlToken::kLeftParenthesis) return function();
  if (here.text == "from") {
    TRY(from_first());
    return add({.kind = PartiqlKind::kSelect});
  }
  return malformed("Unexpected keyword");
}

Result<uint32_t> PartiqlParser::parenthesis() {
  ++at_;
  if (is_keyword("select")) {
    TRY(subquery());
    TRY(expect(PartiqlToken::kRightParenthesis, "RIGHT_PAREN"));
    return add({.kind = PartiqlKind::kSelect});
  }
  TRY_INTO(const uint32_t inner, disjunction());
  TRY(expect(PartiqlToken::kRightParenthesis, "RIGHT_PAREN"));
  return inner;
}

Result<uint32_t> PartiqlParser::function() {
  PartiqlNode node{.kind = PartiqlKind::kFunction, .text = lower(token().text), .at = token().at};
  const bool is_statement = at_ == 0;
  at_ += 2;
  if (node.text == "exists" && is_keyword("select")) {
    const PartiqlPosition at = token().at;
    TRY(is_statement ? select() : subquery());
    node.children = {add({.kind = PartiqlKind::kSelect, .at = at})};
    TRY(expect(PartiqlToken::kRightParenthesis, "RIGHT_PAREN"));
    return add(std::move(node));
  }
  if (node.text == "count" && take_operator("*")) {
    TRY(expect(PartiqlToken::kRightParenthesis, "RIGHT_PAREN"));
    return add(std::move(node));
  }
  TRY(elements(node, PartiqlToken::kRightParenthesis, "RIGHT_PAREN"));
  return add(std::move(node));
}

Result<uint32_t> PartiqlParser::sequence(PartiqlKind kind, PartiqlToken end, std::string_view end_name) {
  PartiqlNode node{.kind = kind, .at = token().at};
  ++at_;
  TRY(elements(node, end, end_name));
  return add(std::move(node));
}

Result<void> PartiqlParser::elements(PartiqlNode& node, PartiqlToken end, std::string_view end_name) {
  if (take(end)) return {};
  do {
    TRY_INTO(const uint32_t element, disjunction());
    node.children.push_back(element);
  } while (take(PartiqlToken::kComma));
  return expect(end, end_name);
}

Result<uint32_t> PartiqlParser::map() {
  PartiqlNode node{.kind = PartiqlKind::kMap, .at = token().at};
  ++at_;
  if (take(PartiqlToken::kRightBrace)) return add(std::move(node));
  do {
    TRY_INTO(const uint32_t name, disjunction());
    TRY(expect(PartiqlToken::kColon, "COLON"));
    TRY_INTO(const uint32_t value, disjunction());
    node.children.push_back(name);
    node.children.push_back(value);
  } while (take(PartiqlToken::kComma));
  TRY(expect(PartiqlToken::kRightBrace, "RIGHT_CURLY"));
  return add(std::move(node));
}

}  // namespace trestle
