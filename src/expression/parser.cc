#include "expression/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "expression/reserved_words.h"
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
constexpr size_t kPathElementsMax = 32;
// A list index must be an int, as in Java.
constexpr uint64_t kListIndexMax = 0x7FFFFFFF;

// What a parsing function made: a node, whether it is a mere path or value, and whether parentheses enclose it.
struct Term {
  uint32_t node = 0;
  bool is_operand = false;
  bool is_grouped = false;
};

bool is_update_function(Function f) { return f == Function::kIfNotExists || f == Function::kListAppend; }

std::optional<Comparison> comparison_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEqual: return Comparison::kEqual;
    case TokenKind::kNotEqual: return Comparison::kNotEqual;
    case TokenKind::kLess: return Comparison::kLess;
    case TokenKind::kLessOrEqual: return Comparison::kLessOrEqual;
    case TokenKind::kGreater: return Comparison::kGreater;
    case TokenKind::kGreaterOrEqual: return Comparison::kGreaterOrEqual;
    default: return std::nullopt;
  }
}

// Parsing functions return false at the first syntax error, with at_ on the offending token. Other faults are noted,
// the first of each kind, and reported in their order of precedence once the syntax is known to be right.
class Parser {
 public:
  Parser(ParsedExpression& tree) : tree_(tree), tokens_(tokenize(tree.text, tree.grammar)) {}

  ParseResult<void> run() {
    bool parsed = false;
    switch (tree_.grammar) {
      case Grammar::kCondition: parsed = parse_condition_expression(); break;
      case Grammar::kProjection: parsed = parse_projection(); break;
      case Grammar::kUpdate: parsed = parse_update(); break;
    }
    if (too_deep_) return std::unexpected("The expression has too many nesting levels;");
    if (!parsed || kind() != TokenKind::kEnd) return std::unexpected(syntax_error());
    check_reserved_words();
    const bool is_update = tree_.grammar == Grammar::kUpdate;
    const std::string* const condition_order[] = {&limit_, &parentheses_, &function_, &misuse_, &reserved_};
    const std::string* const update_order[] = {&limit_, &reserved_, &function_, &section_};
    for (const std::string* fault : is_update ? std::span<const std::string* const>(update_order)
                                              : std::span<const std::string* const>(condition_order)) {
      if (!fault->empty()) return std::unexpected(*fault);
    }
    return {};
  }

 private:
  // ---- Tokens.

  TokenKind kind() const { return tokens_[at_].kind; }
  TokenKind next_kind() const { return at_ + 1 < tokens_.size() ? tokens_[at_ + 1].kind : TokenKind::kEnd; }
  std::string_view token_text(size_t i) const {
    return std::string_view(tree_.text).substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }
  bool take(TokenKind wanted) {
    if (kind() != wanted) return false;
    ++at_;
    return true;
  }

  // The offending token with its neighbours, as written.
  std::string syntax_error() const {
    const size_t first = at_ > 0 ? at_ - 1 : at_;
    const size_t last = at_ + 1 < tokens_.size() ? at_ + 1 : at_;
    uint32_t end = tokens_[last].end;
    if (tokens_[last].kind == TokenKind::kEnd) end = tokens_[last == at_ ? first : at_].end;
    const std::string_view near = std::string_view(tree_.text).substr(tokens_[first].begin, end - tokens_[first].begin);
    const std::string_view token = kind() == TokenKind::kEnd ? "<EOF>" : token_text(at_);
    return fmt::format("Syntax error; token: \"{}\", near: \"{}\"", token, near);
  }

  static void note(std::string& fault, std::string message) {
    if (fault.empty()) fault = std::move(message);
  }

  // ---- Nodes.

  uint32_t add_node(Node node) {
    tree_.nodes.push_back(node);
    return static_cast<uint32_t>(tree_.nodes.size() - 1);
  }
  // A node whose children are what was pushed on pending_ since `mark`.
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

  void check_reserved_words() {
    for (const NameSlot& name : tree_.names) {
      if (!name.is_placeholder && is_reserved_word(name.text)) {
        note(reserved_, fmt::format("Attribute name is a reserved keyword; reserved keyword: {}", name.text));
        return;
      }
    }
  }

  static void add_once(std::vector<uint32_t>& slots, uint32_t slot) {
    if (std::ranges::find(slots, slot) == slots.end()) slots.push_back(slot);
  }

  // ---- Document paths.

  bool parse_path_name() {
    if (kind() != TokenKind::kIdentifier && kind() != TokenKind::kName) return false;
    tree_.elements.push_back({.name = name_slot(token_text(at_), kind() == TokenKind::kName)});
    ++at_;
    return true;
  }

  bool parse_path_index() {
    if (kind() != TokenKind::kNumber) return false;
    uint64_t index = 0;
    for (char c : token_text(at_)) index = std::min(index * 10 + static_cast<uint64_t>(c - '0'), kListIndexMax + 1);
    if (index > kListIndexMax) {
      note(limit_, fmt::format("List index is not within the allowable range; index: [{}]", token_text(at_)));
      index = 0;
    }
    ++at_;
    tree_.elements.push_back({.index = static_cast<uint32_t>(index)});
    return take(TokenKind::kRightBracket);
  }

  // The steps after the first; the path's elements so far are the last ones of the tree.
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
    if (path.count > kPathElementsMax) {
      note(limit_, fmt::format("The document path has too many nesting elements; nesting levels: {}", path.count));
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
    const std::string_view name = token_text(at_);
    at_ += 2;
    const size_t mark = pending_.size();
    do {
      Term argument;
      if (!parse_operand(argument)) return false;
      check_not_misused(argument);
      pending_.push_back(argument.node);
    } while (take(TokenKind::kComma));
    if (!take(TokenKind::kRightParenthesis)) return false;
    const auto known = std::ranges::find(kFunctionNames, name);
    auto function = Function::kSize;
    if (known == kFunctionNames.end()) {
      note(function_, fmt::format("Invalid function name; function: {}", name));
    } else {
      function = static_cast<Function>(known - kFunctionNames.begin());
      if (is_update_function(function) != (tree_.grammar == Grammar::kUpdate)) {
        note(function_, fmt::format("The function is not allowed in {} expression; function: {}",
                                    tree_.grammar == Grammar::kUpdate ? "an update" : "a condition", name));
      }
    }
    ++operators_;
    term = {.node = add_parent({.kind = NodeKind::kFunction, .function = function}, mark)};
    return true;
  }

  bool parse_plain_operand(Term& term) {
    if (kind() == TokenKind::kIdentifier && next_kind() == TokenKind::kLeftParenthesis) return parse_function(term);
    if (kind() == TokenKind::kValue) {
      term = {.node = add_node({.kind = NodeKind::kValue, .first = value_slot(token_text(at_))}), .is_operand = true};
      ++at_;
      return true;
    }
    PathRange path;
    if (!parse_path(path)) return false;
    term = {.node = add_node({.kind = NodeKind::kPath, .first = path.first, .count = path.count}), .is_operand = true};
    return true;
  }

  // An operand, perhaps in parentheses.
  bool parse_operand(Term& term) {
    if (kind() != TokenKind::kLeftParenthesis) return parse_nested(term, &Parser::parse_plain_operand);
    ++at_;
    if (!parse_nested(term, &Parser::parse_operand)) return false;
    return close_group(term);
  }

  bool parse_nested(Term& term, bool (Parser::*parse)(Term&)) {
    if (depth_ >= kNestingMax) {
      too_deep_ = true;
      return false;
    }
    ++depth_;
    const bool parsed = (this->*parse)(term);
    --depth_;
    return parsed;
  }

  // After the inside of "(...)". A path in parentheses may go on: (a).b
  bool close_group(Term& term) {
    if (!take(TokenKind::kRightParenthesis)) return false;
    if (term.is_grouped) note(parentheses_, "The expression has redundant parentheses;");
    term.is_grouped = true;
    const bool goes_on = kind() == TokenKind::kDot || kind() == TokenKind::kLeftBracket;
    if (!goes_on || tree_.grammar != Grammar::kCondition) return true;
    Node& node = tree_.nodes[term.node];
    if (node.kind != NodeKind::kPath) return true;
    PathRange path{.first = node.first, .count = node.count};
    if (!parse_path_rest(path)) return false;
    node.count = path.count;
    term.is_grouped = false;
    return true;
  }

  void check_not_misused(const Term& operand) {
    if (tree_.grammar != Grammar::kCondition) return;
    const Node& node = tree_.nodes[operand.node];
    if (node.kind == NodeKind::kFunction && node.function != Function::kSize) note_misuse(node.function);
  }
  void note_misuse(Function function) {
    note(misuse_, fmt::format("The function is not allowed to be used this way in an expression; function: {}",
                              function_name(function)));
  }

  // ---- Conditions. `may_be_operand`: inside parentheses, where a lone operand may turn out to be the left side of a
  // comparison.

  bool parse_condition_expression() {
    Term term;
    if (!parse_or(term, false)) return false;
    tree_.root = term.node;
    check_size_alone(term);
    return true;
  }

  void check_size_alone(const Term& term) {
    const Node& node = tree_.nodes[term.node];
    if (node.kind == NodeKind::kFunction && node.function == Function::kSize) note_misuse(Function::kSize);
  }

  bool parse_or(Term& term, bool may_be_operand) {
    return parse_joined(term, may_be_operand, TokenKind::kOr, NodeKind::kOr);
  }

  bool parse_joined(Term& term, bool may_be_operand, TokenKind joint, NodeKind node_kind) {
    const auto parse_part = [&](bool operand) {
      return joint == TokenKind::kOr ? parse_joined(term, operand, TokenKind::kAnd, NodeKind::kAnd)
                                     : parse_not(term, operand);
    };
    if (!parse_part(may_be_operand)) return false;
    if (kind() != joint) return true;
    const size_t mark = pending_.size();
    check_size_alone(term);
    pending_.push_back(term.node);
    while (take(joint)) {
      ++operators_;
      if (!parse_part(false)) return false;
      check_size_alone(term);
      pending_.push_back(term.node);
    }
    term = {.node = add_parent({.kind = node_kind}, mark)};
    return true;
  }

  bool parse_not(Term& term, bool may_be_operand) {
    if (!take(TokenKind::kNot)) return parse_condition(term, may_be_operand);
    if (depth_ >= kNestingMax) {
      too_deep_ = true;
      return false;
    }
    ++depth_;
    const bool parsed = parse_not(term, false);
    --depth_;
    if (!parsed) return false;
    ++operators_;
    check_size_alone(term);
    const size_t mark = pending_.size();
    pending_.push_back(term.node);
    term = {.node = add_parent({.kind = NodeKind::kNot}, mark)};
    return true;
  }

  // One condition, or a parenthesised expression.
  bool parse_condition(Term& term, bool may_be_operand) {
    if (take(TokenKind::kLeftParenthesis)) {
      if (!parse_nested(term, &Parser::parse_group_inside) || !close_group(term)) return false;
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
    if (is_function && !is_known_condition(term.node)) tree_.conditions.push_back(term.node);
    return true;
  }

  // A function in parentheses comes past here once per pair of them.
  bool is_known_condition(uint32_t node) const {
    return !tree_.conditions.empty() && tree_.conditions.back() == node;
  }

  bool parse_group_inside(Term& term) { return parse_or(term, true); }

  bool finish_condition(Term& term, Node node, size_t mark) {
    ++operators_;
    // (size(a)) = :v: what looked like a condition inside the parentheses was an operand.
    if (is_known_condition(pending_[mark])) tree_.conditions.pop_back();
    term = {.node = add_parent(node, mark)};
    tree_.conditions.push_back(term.node);
    return true;
  }

  bool parse_next_operand() {
    Term operand;
    if (!parse_operand(operand)) return false;
    check_not_misused(operand);
    pending_.push_back(operand.node);
    return true;
  }

  bool parse_comparison(Term& term, Comparison comparison) {
    const size_t mark = pending_.size();
    check_not_misused(term);
    pending_.push_back(term.node);
    ++at_;
    if (!parse_next_operand()) return false;
    return finish_condition(term, {.kind = NodeKind::kComparison, .comparison = comparison}, mark);
  }

  bool parse_between(Term& term) {
    const size_t mark = pending_.size();
    check_not_misused(term);
    pending_.push_back(term.node);
    ++at_;
    if (!parse_next_operand() || !take(TokenKind::kAnd) || !parse_next_operand()) return false;
    return finish_condition(term, {.kind = NodeKind::kBetween}, mark);
  }

  bool parse_in(Term& term) {
    const size_t mark = pending_.size();
    check_not_misused(term);
    pending_.push_back(term.node);
    ++at_;
    if (!take(TokenKind::kLeftParenthesis)) return false;
    do {
      if (!parse_next_operand()) return false;
    } while (take(TokenKind::kComma));
    if (!take(TokenKind::kRightParenthesis)) return false;
    const size_t operands = pending_.size() - mark - 1;
    if (operands > kInOperandsMax) {
      note(limit_, fmt::format("The IN operator is provided with too many operands; number of operands: {}", operands));
    }
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
    std::array<bool, 4> seen{};
    do {
      UpdateSection section;
      switch (kind()) {
        case TokenKind::kSet: section = UpdateSection::kSet; break;
        case TokenKind::kRemove: section = UpdateSection::kRemove; break;
        case TokenKind::kAdd: section = UpdateSection::kAdd; break;
        case TokenKind::kDelete: section = UpdateSection::kDelete; break;
        default: return false;
      }
      ++at_;
      constexpr std::array<std::string_view, 4> kNames = {"SET", "REMOVE", "ADD", "DELETE"};
      const auto i = static_cast<size_t>(section);
      if (seen[i]) {
        note(section_, fmt::format("The \"{}\" section can only be used once in an update expression;", kNames[i]));
      }
      seen[i] = true;
      do {
        if (!parse_step(section)) return false;
      } while (take(TokenKind::kComma));
    } while (kind() != TokenKind::kEnd);
    if (operators_ > kExpressionOperatorsMax) {
      note(limit_, fmt::format("The expression contains too many operators; number of operators: {}", operators_));
    }
    return true;
  }

  bool parse_step(UpdateSection section) {
    UpdateStep step{.section = section};
    if (!parse_path(step.path)) return false;
    Term value;
    switch (section) {
      case UpdateSection::kSet:
        if (!take(TokenKind::kEqual) || !parse_set_value(value)) return false;
        break;
      case UpdateSection::kRemove: break;
      case UpdateSection::kAdd:
      case UpdateSection::kDelete:
        if (kind() != TokenKind::kValue || !parse_plain_operand(value)) return false;
        break;
    }
    step.value = value.node;
    ++operators_;
    tree_.steps.push_back(step);
    return true;
  }

  // An operand, a sum or a difference, each perhaps in parentheses.
  bool parse_set_value(Term& term) {
    if (kind() == TokenKind::kLeftParenthesis) {
      ++at_;
      if (!parse_nested(term, &Parser::parse_set_value) || !take(TokenKind::kRightParenthesis)) return false;
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
    if (!parse_next_operand()) return false;
    ++operators_;
    term = {.node = add_parent({.kind = node_kind}, mark)};
    return true;
  }

  ParsedExpression& tree_;
  const std::vector<Token> tokens_;
  size_t at_ = 0;
  unsigned depth_ = 0;
  bool too_deep_ = false;
  size_t operators_ = 0;
  std::vector<uint32_t> pending_;
  std::string limit_, parentheses_, function_, misuse_, reserved_, section_;
};

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

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
  return tree;
}

}  // namespace trestle
