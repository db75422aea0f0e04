#include "expression/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "expression/lexer.h"
#include "expression/text_check.h"
#include "model/limits.h"

namespace trestle {

constexpr std::array<std::string_view, 8> kFunctionNames = {
    "attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size",
    "if_not_exists",    "list_append"};

std::string_view function_name(Function function) { return kFunctionNames[static_cast<size_t>(function)]; }

std::string_view comparison_text(Comparison comparison) {
  constexpr std::array<std::string_view, 6> kTexts = {"=", "<>", "<", "<=", ">", ">="};
  return kTexts[static_cast<size_t>(comparison)];
}

namespace {

constexpr unsigned kNestingMax = 500;
constexpr std::string_view kRedundantParentheses = "The expression has redundant parentheses;";

// The result of a parsing function: a node, whether it is just a path or value, and whether it is in parentheses.
struct Term {
  uint32_t node = 0;
  bool is_operand = false;
  bool is_grouped = false;
};

std::optional<Comparison> comparison_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEqual:
      return Comparison::kEqual;
    case TokenKind::kNotEqual:
      return Comparison::kNotEqual;
    case TokenKind::kLess:
      return Comparison::kLess;
    case TokenKind::kLessOrEqual:
      return Comparison::kLessOrEqual;
    case TokenKind::kGreater:
      return Comparison::kGreater;
    case TokenKind::kGreaterOrEqual:
      return Comparison::kGreaterOrEqual;
    default:
      return std::nullopt;
  }
}

Function function_of(std::string_view name) {
  const auto found = std::ranges::find(kFunctionNames, name);
  return found == kFunctionNames.end() ? Function::kUnknown : static_cast<Function>(found - kFunctionNames.begin());
}

// Parsing functions return false at the first error, which is refusal_ or, if that is not set, a syntax error at at_.
class Parser {
 public:
  explicit Parser(ParsedExpression& tree) : tree_(tree), tokens_(tokenize(tree.text)) {}

  ParseResult<void> run() {
    bool parsed = false;
    switch (tree_.grammar) {
      case Grammar::kCondition:
        parsed = parse_condition_expression();
        break;
      case Grammar::kProjection:
        parsed = parse_projection();
        break;
      case Grammar::kUpdate:
        parsed = parse_update();
        break;
    }
    if (!refusal_.empty()) return std::unexpected(std::string(refusal_));
    if (!parsed || kind() != TokenKind::kEnd) return std::unexpected(syntax_error());
    return {};
  }

 private:
  // ---- Tokens.

  TokenKind kind() const { return tokens_[at_].kind; }
  TokenKind next_kind() const { return at_ + 1 < tokens_.size() ? tokens_[at_ + 1].kind : TokenKind::kEnd; }
  std::string_view token_text() const {
    return std::string_view(tree_.text).substr(tokens_[at_].begin, tokens_[at_].end - tokens_[at_].begin);
  }
  bool take(TokenKind wanted) {
    if (kind() != wanted) return false;
    ++at_;
    return true;
  }

  // The offending token with its neighbours, as in the text.
  std::string syntax_error() const {
    const size_t first = at_ > 0 ? at_ - 1 : at_;
    size_t last = std::min(at_ + 1, tokens_.size() - 1);
    while (last > first && tokens_[last].kind == TokenKind::kEnd) --last;
    const uint32_t begin = tokens_[first].begin;
    const std::string_view near = std::string_view(tree_.text).substr(begin, tokens_[last].end - begin);
    return fmt::format("Syntax error; token: \"{}\", near: \"{}\"", kind() == TokenKind::kEnd ? "<EOF>" : token_text(),
                       near);
  }

  bool refuse(std::string_view message) {
    refusal_ = message;
    return false;
  }

  // Calls a parsing function one nesting level deeper.
  template <class Parse>
  bool nested(Parse parse) {
    if (depth_ >= kNestingMax) return refuse("The expression is nested too deeply;");
    ++depth_;
    const bool parsed = parse();
    --depth_;
    return parsed;
  }

  // ---- Nodes.

  uint32_t add_node(Node node) {
    tree_.nodes.push_back(node);
    return static_cast<uint32_t>(tree_.nodes.size() - 1);
  }
  // Adds a node whose children are the nodes pushed on pending_ since `mark`.
  uint32_t add_parent(Node node, size_t mark) {
    node.first = static_cast<uint32_t>(tree_.children.size());
    node.count = static_cast<uint32_t>(pending_.size() - mark);
    tree_.children.insert(tree_.children.end(), pending_.begin() + static_cast<std::ptrdiff_t>(mark), pending_.end());
    pending_.resize(mark);
    return add_node(node);
  }

  uint32_t name_slot(std::string_view text, bool is_placeholder) {
    for (uint32_t i = 0; i < tree_.names.size(); ++i) {
      if (tree_.names[i].text == text) return i;
    }
    tree_.names.push_back({text, is_placeholder});
    return static_cast<uint32_t>(tree_.names.size() - 1);
  }
  uint32_t value_slot(std::string_view text) {
    for (uint32_t i = 0; i < tree_.values.size(); ++i) {
      if (tree_.values[i] == text) return i;
    }
    tree_.values.push_back(text);
    return static_cast<uint32_t>(tree_.values.size() - 1);
  }

  static void add_once(std::vector<uint32_t>& slots, uint32_t slot) {
    if (std::ranges::find(slots, slot) == slots.end()) slots.push_back(slot);
  }

  // ---- Document paths.

  bool parse_path_name() {
    if (kind() != TokenKind::kIdentifier && kind() != TokenKind::kName) return false;
    tree_.elements.push_back({.name = name_slot(token_text(), kind() == TokenKind::kName)});
    ++at_;
    return true;
  }

  bool parse_path_index() {
    if (kind() != TokenKind::kNumber) return false;
    uint64_t index = 0;
    for (char c : token_text()) {
      index = std::min<uint64_t>(index * 10 + static_cast<uint64_t>(c - '0'), kListIndexMax + uint64_t{1});
    }
    tree_.elements.push_back({.index = static_cast<uint32_t>(index), .text_at = tokens_[at_].begin});
    ++at_;
    return take(TokenKind::kRightBracket);
  }

  // Parses the steps after the first. The path's elements so far must be the last ones of the tree.
  bool parse_path_rest(PathRange& path) {
    while (true) {
      if (take(TokenKind::kDot)) {
        if (!parse_path_name()) return false;
      } else if (take(TokenKind::kLeftBracket)) {
        if (!parse_path_index()) return false;
      } else {
        break;
      }
      ++path.count;
    }
    if (path.count > 1) add_once(tree_.nested_heads, tree_.elements[path.first].name);
    return true;
  }

  bool parse_path(PathRange& path) {
    path = {.first = static_cast<uint32_t>(tree_.elements.size()), .count = 1};
    if (!parse_path_name()) return false;
    add_once(tree_.heads, tree_.elements[path.first].name);
    return parse_path_rest(path);
  }

  // ---- Operands: paths, values, functions.

  bool parse_function(Term& term) {
    const std::string_view name = token_text();
    at_ += 2;
    const size_t mark = pending_.size();
    do {
      if (!nested([&] { return push_operand(); })) return false;
    } while (take(TokenKind::kComma));
    if (!take(TokenKind::kRightParenthesis)) return false;
    const Node node{.kind = NodeKind::kFunction, .function = function_of(name), .name = name};
    term = {.node = add_parent(node, mark)};
    return true;
  }

  bool parse_plain_operand(Term& term) {
    if (kind() == TokenKind::kIdentifier && next_kind() == TokenKind::kLeftParenthesis) return parse_function(term);
    if (kind() == TokenKind::kValue) {
      term = {.node = add_node({.kind = NodeKind::kValue, .first = value_slot(token_text())}), .is_operand = true};
      ++at_;
      return true;
    }
    PathRange path;
    if (!parse_path(path)) return false;
    term = {.node = add_node({.kind = NodeKind::kPath, .first = path.first, .count = path.count}), .is_operand = true};
    return true;
  }

  bool parse_operand(Term& term) {
    if (!take(TokenKind::kLeftParenthesis)) return parse_plain_operand(term);
    return nested([&] { return parse_operand(term); }) && close_group(term);
  }

  bool push_operand() {
    Term operand;
    if (!parse_operand(operand)) return false;
    pending_.push_back(operand.node);
    return true;
  }

  // Called after the contents of "(...)".
  bool close_group(Term& term) {
    if (!take(TokenKind::kRightParenthesis)) return false;
    if (term.is_grouped) return refuse(kRedundantParentheses);
    term.is_grouped = true;
    const bool goes_on = kind() == TokenKind::kDot || kind() == TokenKind::kLeftBracket;
    Node& node = tree_.nodes[term.node];
    if (!goes_on || tree_.grammar != Grammar::kCondition || node.kind != NodeKind::kPath) return true;
    PathRange path{.first = node.first, .count = node.count};
    if (!parse_path_rest(path)) return false;
    node.count = path.count;
    term.is_grouped = false;
    return true;
  }

  // ---- Conditions. `may_be_operand`: inside parentheses, where a lone operand may turn out to be the left side of a
  // comparison.

  bool parse_condition_expression() {
    Term term;
    if (!parse_or(term, false)) return false;
    tree_.root = term.node;
    return true;
  }

  bool parse_or(Term& term, bool may_be_operand) {
    const auto parse_part = [&](bool operand) { return parse_and(term, operand); };
    return parse_joined(term, may_be_operand, TokenKind::kOr, NodeKind::kOr, parse_part);
  }

  bool parse_and(Term& term, bool may_be_operand) {
    const auto parse_part = [&](bool operand) { return parse_not(term, operand); };
    return parse_joined(term, may_be_operand, TokenKind::kAnd, NodeKind::kAnd, parse_part);
  }

  template <class ParsePart>
  bool parse_joined(Term& term, bool may_be_operand, TokenKind joint, NodeKind node_kind, ParsePart parse_part) {
    if (!parse_part(may_be_operand)) return false;
    if (kind() != joint) return true;
    const size_t mark = pending_.size();
    pending_.push_back(term.node);
    while (take(joint)) {
      if (!parse_part(false)) return false;
      pending_.push_back(term.node);
    }
    term = {.node = add_parent({.kind = node_kind}, mark)};
    return true;
  }

  bool parse_not(Term& term, bool may_be_operand) {
    if (!take(TokenKind::kNot)) return parse_condition(term, may_be_operand);
    if (!nested([&] { return parse_not(term, false); })) return false;
    const size_t mark = pending_.size();
    pending_.push_back(term.node);
    term = {.node = add_parent({.kind = NodeKind::kNot}, mark)};
    return true;
  }

  // One condition, or a parenthesised expression.
  bool parse_condition(Term& term, bool may_be_operand) {
    if (take(TokenKind::kLeftParenthesis)) {
      if (!nested([&] { return parse_or(term, true); }) || !close_group(term)) return false;
    } else if (!parse_plain_operand(term)) {
      return false;
    }
    const bool is_function = tree_.nodes[term.node].kind == NodeKind::kFunction;
    if (term.is_operand || is_function) {
      if (const auto comparison = comparison_of(kind())) return parse_comparison(term, *comparison);
      if (kind() == TokenKind::kBetween) return parse_between(term);
      if (kind() == TokenKind::kIn) return parse_in(term);
    }
    if (term.is_operand) return may_be_operand && kind() == TokenKind::kRightParenthesis;
    if (is_function && !is_last_condition(term.node)) tree_.conditions.push_back(term.node);
    return true;
  }

  // A function in parentheses gets here once per pair of parentheses.
  bool is_last_condition(uint32_t node) const { return !tree_.conditions.empty() && tree_.conditions.back() == node; }

  size_t start_condition(const Term& left) {
    // In (size(a)) = :v the parentheses contain an operand that looked like a condition.
    if (is_last_condition(left.node)) tree_.conditions.pop_back();
    pending_.push_back(left.node);
    ++at_;
    return pending_.size() - 1;
  }

  bool finish_condition(Term& term, Node node, size_t mark) {
    term = {.node = add_parent(node, mark)};
    tree_.conditions.push_back(term.node);
    return true;
  }

  bool parse_comparison(Term& term, Comparison comparison) {
    const size_t mark = start_condition(term);
    if (!push_operand()) return false;
    return finish_condition(term, {.kind = NodeKind::kComparison, .comparison = comparison}, mark);
  }

  bool parse_between(Term& term) {
    const size_t mark = start_condition(term);
    if (!push_operand() || !take(TokenKind::kAnd) || !push_operand()) return false;
    return finish_condition(term, {.kind = NodeKind::kBetween}, mark);
  }

  bool parse_in(Term& term) {
    const size_t mark = start_condition(term);
    if (!take(TokenKind::kLeftParenthesis)) return false;
    do {
      if (!push_operand()) return false;
    } while (take(TokenKind::kComma));
    if (!take(TokenKind::kRightParenthesis)) return false;
    return finish_condition(term, {.kind = NodeKind::kIn}, mark);
  }

  // ---- Projections.

  bool parse_projection() {
    do {
      PathRange path;
      if (!parse_path(path)) return false;
      tree_.paths.push_back(path);
    } while (take(TokenKind::kComma));
    return true;
  }

  // ---- Updates.

  bool parse_update() {
    UpdateStep step;
    do {
      switch (kind()) {
        case TokenKind::kSet:
          step.section = UpdateSection::kSet;
          break;
        case TokenKind::kRemove:
          step.section = UpdateSection::kRemove;
          break;
        case TokenKind::kAdd:
          step.section = UpdateSection::kAdd;
          break;
        case TokenKind::kDelete:
          step.section = UpdateSection::kDelete;
          break;
        default:
          return false;
      }
      ++at_;
      do {
        if (!parse_step(step)) return false;
      } while (take(TokenKind::kComma));
      ++step.clause;
    } while (kind() != TokenKind::kEnd);
    return true;
  }

  bool parse_step(UpdateStep step) {
    if (!parse_path(step.path)) return false;
    Term value;
    switch (step.section) {
      case UpdateSection::kSet:
        if (!take(TokenKind::kEqual) || !parse_set_value(value)) return false;
        break;
      case UpdateSection::kRemove:
        break;
      case UpdateSection::kAdd:
      case UpdateSection::kDelete:
        if (kind() != TokenKind::kValue || !parse_plain_operand(value)) return false;
        break;
    }
    step.value = value.node;
    tree_.steps.push_back(step);
    return true;
  }

  // An operand, a sum or a difference, each with or without parentheses.
  bool parse_set_value(Term& term) {
    if (take(TokenKind::kLeftParenthesis)) {
      if (!nested([&] { return parse_set_value(term); }) || !close_group(term)) return false;
    } else if (!parse_plain_operand(term)) {
      return false;
    }
    const NodeKind left = tree_.nodes[term.node].kind;
    if (left == NodeKind::kPlus || left == NodeKind::kMinus) return true;
    if (kind() != TokenKind::kPlus && kind() != TokenKind::kMinus) return true;
    const NodeKind node_kind = kind() == TokenKind::kPlus ? NodeKind::kPlus : NodeKind::kMinus;
    ++at_;
    const size_t mark = pending_.size();
    pending_.push_back(term.node);
    if (!push_operand()) return false;
    term = {.node = add_parent({.kind = node_kind}, mark)};
    return true;
  }

  ParsedExpression& tree_;
  const std::vector<Token> tokens_;
  size_t at_ = 0;
  unsigned depth_ = 0;
  std::vector<uint32_t> pending_;  // nodes whose parents are still being parsed
  std::string_view refusal_;
};

}  // namespace

ParseResult<std::shared_ptr<const ParsedExpression>> parse_expression(std::string_view text, Grammar grammar) {
  if (is_blank(text)) return std::unexpected("The expression can not be empty;");
  if (text.size() > kExpressionBytesMax) {
    std::string message = "Expression size has exceeded the maximum allowed size;";
    if (grammar != Grammar::kUpdate) message += fmt::format(" expression size: {}", text.size());
    return std::unexpected(std::move(message));
  }
  auto tree = std::make_shared<ParsedExpression>();
  tree->grammar = grammar;
  tree->text = text;
  if (auto parsed = Parser(*tree).run(); !parsed) return std::unexpected(std::move(parsed).error());
  if (auto fault = text_fault(*tree)) return std::unexpected(*std::move(fault));
  return tree;
}

}  // namespace trestle
