#include "expression/partiql_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "expression/text_check.h"

namespace trestle {
namespace {

constexpr unsigned kDepthMax = 120;

std::unexpected<Error> malformed(std::string_view detail) {
  return invalid(fmt::format("Statement wasn't well formed, can't be processed: {}", detail));
}

// Keywords that are called as functions.
bool is_function_keyword(std::string_view word) {
  static constexpr std::string_view kNames[] = {
      "avg", "cast",   "char_length", "character_length", "coalesce", "count", "exists", "extract", "lower", "max",
      "min", "nullif", "size",        "substring",        "sum",      "trim",  "upper"};
  return std::ranges::find(kNames, word) != std::end(kNames);
}

// What may follow IS. The second word of a type of two is skipped.
bool is_type_name(std::string_view word) {
  static constexpr std::string_view kNames[] = {
      "any",      "bag",      "blob",     "bool",   "boolean", "char",      "character", "clob",   "date",
      "decimal",  "dec",      "double",   "float",  "int",     "int2",      "int4",      "int8",   "integer",
      "integer2", "integer4", "integer8", "list",   "missing", "null",      "numeric",   "real",   "sexp",
      "smallint", "string",   "struct",   "symbol", "time",    "timestamp", "tuple",     "varchar"};
  return std::ranges::find(kNames, word) != std::end(kNames);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

class Parser {
 public:
  explicit Parser(std::vector<PartiqlTokenText> tokens) : tokens_(std::move(tokens)) {}

  Result<PartiqlStatement> run() {
    std::optional<uint32_t> expression;
    if (is_keyword("select")) {
      TRY(select());
    } else if (is_keyword("insert")) {
      TRY(insert());
    } else if (is_keyword("update")) {
      TRY(update());
    } else if (is_keyword("delete")) {
      TRY(remove_items());
    } else if (is_keyword("from")) {
      TRY(from_first());
    } else {
      TRY_INTO(expression, either());
    }
    take(PartiqlToken::kSemicolon);
    if (!is(PartiqlToken::kEnd)) return malformed("Unexpected token after expression");
    if (expression) TRY(accept_expression(*expression));
    TRY(check_meaning());
    return std::move(statement_);
  }

 private:
  // ---- Tokens.

  const PartiqlTokenText& token() const { return tokens_[at_]; }
  bool is(PartiqlToken kind) const { return token().kind == kind; }
  bool is_keyword(std::string_view word) const { return is(PartiqlToken::kKeyword) && token().text == word; }
  bool is_operator(std::string_view text) const { return is(PartiqlToken::kOperator) && token().text == text; }
  bool is_name() const { return is(PartiqlToken::kIdentifier) || is(PartiqlToken::kQuoted); }
  bool take(PartiqlToken kind) {
    if (!is(kind)) return false;
    ++at_;
    return true;
  }
  bool take_keyword(std::string_view word) {
    if (!is_keyword(word)) return false;
    ++at_;
    return true;
  }
  bool take_operator(std::string_view text) {
    if (!is_operator(text)) return false;
    ++at_;
    return true;
  }
  Result<void> expect(PartiqlToken kind, std::string_view name) {
    if (take(kind)) return {};
    return malformed(fmt::format("Expected {}", name));
  }

  uint32_t add(PartiqlNode node) {
    statement_.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(statement_.nodes.size() - 1);
  }

  // ---- Statements.

  Result<void> select() {
    ++at_;
    take_keyword("all");
    if (is_keyword("distinct")) return unsupported("DISTINCT");
    if (is_keyword("value") || is_keyword("pivot")) {
      return invalid("Select projection doesn't support value or pivot keywords");
    }
    TRY(columns());
    if (!take_keyword("from")) return malformed("Expected FROM keyword");
    TRY(source());
    if (is(PartiqlToken::kComma) || is(PartiqlToken::kOperator) || is_keyword("join") || is_keyword("inner") ||
        is_keyword("left") || is_keyword("right") || is_keyword("cross") || is_keyword("full")) {
      return invalid("Unexpected from source");
    }
    TRY(where());
    for (const std::string_view clause : {"group", "having", "limit", "let", "offset"}) {
      if (!is_keyword(clause)) continue;
      std::string shown(clause);
      for (char& c : shown) c = static_cast<char>(c - 'a' + 'A');
      return unsupported(shown == "GROUP" ? "GROUP BY" : shown);
    }
    if (take_keyword("order")) TRY(order());
    if (is_keyword("limit")) return unsupported("LIMIT");
    return {};
  }

  static std::unexpected<Error> unsupported(std::string_view clause) {
    return invalid(fmt::format("Unsupported clause: {}", clause));
  }

  Result<void> columns() {
    bool star = false;
    size_t count = 0;
    do {
      ++count;
      if (take_operator("*")) {
        star = true;
        continue;
      }
      TRY_INTO(const uint32_t column, either());
      columns_.push_back(column);
      if (take_keyword("as")) {
        if (!is_name()) return malformed("Expected identifier for alias");
        ++at_;
        aliased_ = true;
      } else if (is_name()) {
        ++at_;
        aliased_ = true;
      }
    } while (take(PartiqlToken::kComma));
    star_and_more_ = star && count > 1;
    return {};
  }

  // The table of a SELECT may be any expression as far as the syntax goes.
  Result<void> source() {
    if (!is_name()) {
      TRY(either());
      return invalid("Unexpected from source");
    }
    return table();
  }

  Result<void> table() {
    TRY(table_path());
    if (take_keyword("as")) {
      if (!is_name()) return malformed("Expected identifier for alias");
      ++at_;
      aliased_ = true;
    } else if (is_name()) {
      ++at_;
      aliased_ = true;
    }
    return {};
  }

  Result<void> table_path() {
    if (!is_name()) return malformed("Expected identifier for simple path");
    table_.push_back(token().text);
    ++at_;
    while (take(PartiqlToken::kDot)) {
      if (!is_name()) return malformed("Invalid path dot component");
      table_.push_back(token().text);
      ++at_;
    }
    return {};
  }

  Result<void> where() {
    if (!take_keyword("where")) return {};
    TRY_INTO(statement_.where, either());
    return {};
  }

  Result<void> order() {
    if (!take_keyword("by")) return malformed("Expected BY keyword");
    do {
      TRY_INTO(const uint32_t key, either());
      const PartiqlNode& node = statement_.nodes[key];
      if (node.kind != PartiqlKind::kPath || node.path.size() != 1) {
        return invalid(fmt::format("Argument to ORDER BY must be of type VariableReference. Type: {}", type_of(node)));
      }
      PartiqlOrder by{.attribute = node.path.front().name};
      if (take_keyword("desc")) {
        by.descending = true;
      } else {
        take_keyword("asc");
      }
      statement_.order.push_back(std::move(by));
    } while (take(PartiqlToken::kComma));
    return {};
  }

  Result<void> insert() {
    statement_.verb = PartiqlVerb::kInsert;
    ++at_;
    if (!take_keyword("into")) return malformed("Expected INTO keyword");
    TRY(table_path());
    const bool is_value = take_keyword("value");
    if (!is_value) take_keyword("values");
    TRY_INTO(statement_.inserted, either());
    if (!is_value && (is(PartiqlToken::kEnd) || is(PartiqlToken::kSemicolon))) {
      return invalid("Only INSERT INTO ... VALUE is supported");
    }
    return {};
  }

  Result<void> update() {
    statement_.verb = PartiqlVerb::kUpdate;
    ++at_;
    TRY(table());
    TRY(changes());
    TRY(where());
    return returning();
  }

  Result<void> from_first() {
    statement_.verb = PartiqlVerb::kUpdate;
    ++at_;
    if (!is_name()) {
      TRY(either());
      return malformed("Expected data manipulation");
    }
    TRY(table());
    TRY(where());
    TRY(changes());
    return returning();
  }

  Result<void> remove_items() {
    statement_.verb = PartiqlVerb::kDelete;
    ++at_;
    if (!take_keyword("from")) return malformed("Expected FROM keyword");
    TRY(table());
    TRY(where());
    return returning();
  }

  Result<void> changes() {
    if (!is_keyword("set") && !is_keyword("remove")) return malformed("Expected data manipulation");
    while (true) {
      if (take_keyword("set")) {
        do {
          PartiqlChange change;
          TRY_INTO(change.path, simple_path());
          if (!take_operator("=")) return malformed("Expected '=' in SET");
          TRY_INTO(change.value, either());
          statement_.changes.push_back(std::move(change));
        } while (take(PartiqlToken::kComma));
      } else if (take_keyword("remove")) {
        PartiqlChange change;
        TRY_INTO(change.path, simple_path());
        statement_.changes.push_back(std::move(change));
      } else {
        return {};
      }
    }
  }

  Result<PartiqlPath> simple_path() {
    if (!is_name()) return malformed("Expected identifier for simple path");
    PartiqlPath path{{.name = token().text}};
    ++at_;
    TRY(path_steps(path));
    return path;
  }

  Result<void> returning() {
    if (!take_keyword("returning")) return {};
    const bool all = is_keyword("all");
    if (!all && !is_keyword("modified")) return malformed("Expected ALL or MODIFIED in a returning element.");
    ++at_;
    const bool old = is_keyword("old");
    if (!old && !is_keyword("new")) return malformed("Expected OLD or NEW in a returning element.");
    ++at_;
    if (!take_operator("*")) return malformed("Expected STAR");
    statement_.returning = all ? (old ? PartiqlReturning::kAllOld : PartiqlReturning::kAllNew)
                               : (old ? PartiqlReturning::kModifiedOld : PartiqlReturning::kModifiedNew);
    return {};
  }

  // ---- Expressions, from the loosest operator to the tightest.

  Result<uint32_t> either() {
    if (++depth_ > kDepthMax) return malformed("");
    auto result = chain(PartiqlKind::kOr, "or", &Parser::both);
    --depth_;
    return result;
  }
  Result<uint32_t> both() { return chain(PartiqlKind::kAnd, "and", &Parser::negation); }

  Result<uint32_t> chain(PartiqlKind kind, std::string_view word, Result<uint32_t> (Parser::*operand)()) {
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

  Result<void> require_operand() const {
    if (is(PartiqlToken::kEnd)) return malformed("Missing right-hand side expression of infix operator");
    return {};
  }

  Result<uint32_t> negation() {
    if (!is_operator("not")) return comparison();
    PartiqlNode node{.kind = PartiqlKind::kNot, .at = token().at};
    ++at_;
    if (++depth_ > kDepthMax) return malformed("");
    TRY_INTO(const uint32_t child, negation());
    --depth_;
    node.children = {child};
    return add(std::move(node));
  }

  Result<uint32_t> comparison() {
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

  static std::optional<Comparison> comparison_of(std::string_view text) {
    if (text == "=") return Comparison::kEqual;
    if (text == "<>") return Comparison::kNotEqual;
    if (text == "<") return Comparison::kLess;
    if (text == "<=") return Comparison::kLessOrEqual;
    if (text == ">") return Comparison::kGreater;
    if (text == ">=") return Comparison::kGreaterOrEqual;
    return std::nullopt;
  }

  Result<uint32_t> type_test(uint32_t value) {
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
    uint32_t made = add(std::move(node));
    if (negated) made = add({.kind = PartiqlKind::kNot, .children = {made}, .at = at});
    return made;
  }

  // IN ('a', 'b') is a list too.
  Result<uint32_t> in_list() {
    if (!is(PartiqlToken::kLeftParenthesis)) return sum();
    PartiqlNode node{.kind = PartiqlKind::kList, .at = token().at};
    ++at_;
    TRY(elements(node, PartiqlToken::kRightParenthesis, "RIGHT_PAREN"));
    return add(std::move(node));
  }

  Result<uint32_t> sum() {
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

  Result<uint32_t> product() {
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

  // A sign before a number is part of it.
  Result<uint32_t> unary() {
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

  Result<uint32_t> path_term() {
    TRY_INTO(const uint32_t made, term());
    if (!is(PartiqlToken::kDot) && !is(PartiqlToken::kLeftBracket)) return made;
    PartiqlPath path = statement_.nodes[made].path;
    const bool is_path = statement_.nodes[made].kind == PartiqlKind::kPath;
    TRY(path_steps(path));
    if (!is_path) return unexpected_component(statement_.nodes[made].at);
    statement_.nodes[made].path = std::move(path);
    return made;
  }

  static std::unexpected<Error> unexpected_component(const PartiqlPosition& at) {
    return invalid(fmt::format("Unexpected path component at {}", position_text(at)));
  }

  Result<void> path_steps(PartiqlPath& path) {
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

  Result<PartiqlStep> bracket_step() {
    TRY_INTO(const uint32_t made, either());
    const PartiqlNode& node = statement_.nodes[made];
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

  Result<uint32_t> term() {
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

  Result<uint32_t> literal(PartiqlKind kind) {
    PartiqlNode node{.kind = kind, .text = token().text, .at = token().at};
    ++at_;
    return add(std::move(node));
  }

  Result<uint32_t> keyword_term() {
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

  Result<uint32_t> parenthesis() {
    ++at_;
    if (is_keyword("select")) {
      TRY(subquery());
      TRY(expect(PartiqlToken::kRightParenthesis, "RIGHT_PAREN"));
      return add({.kind = PartiqlKind::kSelect});
    }
    TRY_INTO(const uint32_t inner, either());
    TRY(expect(PartiqlToken::kRightParenthesis, "RIGHT_PAREN"));
    return inner;
  }

  // A SELECT that is part of an expression: its syntax counts, and nothing else, since DynamoDB runs none.
  Result<void> subquery() {
    auto table = std::exchange(table_, {});
    auto columns = std::exchange(columns_, {});
    auto order = std::exchange(statement_.order, {});
    const auto where = statement_.where;
    const bool star_and_more = star_and_more_;
    const bool aliased = aliased_;
    TRY(select());
    table_ = std::move(table);
    columns_ = std::move(columns);
    statement_.order = std::move(order);
    statement_.where = where;
    star_and_more_ = star_and_more;
    aliased_ = aliased;
    return {};
  }

  Result<uint32_t> function() {
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

  Result<uint32_t> sequence(PartiqlKind kind, PartiqlToken end, std::string_view end_name) {
    PartiqlNode node{.kind = kind, .at = token().at};
    ++at_;
    TRY(elements(node, end, end_name));
    return add(std::move(node));
  }

  // Up to and with the closing token.
  Result<void> elements(PartiqlNode& node, PartiqlToken end, std::string_view end_name) {
    if (take(end)) return {};
    do {
      TRY_INTO(const uint32_t element, either());
      node.children.push_back(element);
    } while (take(PartiqlToken::kComma));
    return expect(end, end_name);
  }

  Result<uint32_t> map() {
    PartiqlNode node{.kind = PartiqlKind::kMap, .at = token().at};
    ++at_;
    if (take(PartiqlToken::kRightBrace)) return add(std::move(node));
    do {
      TRY_INTO(const uint32_t name, either());
      TRY(expect(PartiqlToken::kColon, "COLON"));
      TRY_INTO(const uint32_t value, either());
      node.children.push_back(name);
      node.children.push_back(value);
    } while (take(PartiqlToken::kComma));
    TRY(expect(PartiqlToken::kRightBrace, "RIGHT_CURLY"));
    return add(std::move(node));
  }

  // ---- What the syntax allows and DynamoDB does not.

  static std::string_view type_of(const PartiqlNode& node) {
    switch (node.kind) {
      case PartiqlKind::kPath:
        return node.path.size() == 1 ? "VariableReference" : "Path";
      case PartiqlKind::kParameter:
        return "Parameter";
      case PartiqlKind::kNull:
      case PartiqlKind::kTrue:
      case PartiqlKind::kFalse:
      case PartiqlKind::kString:
      case PartiqlKind::kNumber:
        return "Literal";
      case PartiqlKind::kMissing:
        return "LiteralMissing";
      case PartiqlKind::kList:
      case PartiqlKind::kBag:
        return "Seq";
      case PartiqlKind::kMap:
        return "Struct";
      case PartiqlKind::kIs:
        return "IsType";
      case PartiqlKind::kSelect:
        return "Select";
      default:
        return "NAry";
    }
  }

  // A statement that is an expression: EXISTS, or nothing DynamoDB runs.
  Result<void> accept_expression(uint32_t root) {
    const PartiqlNode& node = statement_.nodes[root];
    if (node.kind == PartiqlKind::kFunction && node.text == "exists" && node.children.size() == 1 &&
        statement_.nodes[node.children[0]].kind == PartiqlKind::kSelect) {
      statement_.verb = PartiqlVerb::kExists;
      return {};
    }
    return invalid(fmt::format("Unsupported operation: {}", type_of(node)));
  }

  Result<void> check_meaning() {
    if (aliased_) return invalid("Aliasing is not supported");
    if (table_.size() > 2) return invalid("A path may contain at most 2 components in the FROM clause");
    if (std::ranges::any_of(table_, [](const std::string& name) { return name.empty(); })) {
      return invalid("Path component cannot be an empty string");
    }
    const PartiqlVerb verb = statement_.verb;
    if (table_.size() == 2) {
      if (verb == PartiqlVerb::kInsert) return invalid("FROM clause may only contain a single table name");
      if (verb == PartiqlVerb::kUpdate || verb == PartiqlVerb::kDelete) {
        return invalid("This operation is not supported on an index");
      }
      statement_.index_name = table_[1];
    }
    statement_.table_name = table_[0];
    TRY(take_columns());
    const PartiqlReturning returning = statement_.returning;
    if (verb == PartiqlVerb::kDelete && returning != PartiqlReturning::kNone &&
        returning != PartiqlReturning::kAllOld) {
      return invalid(
          fmt::format("Invalid returning clause: {}. Only RETURNING ALL OLD * is allowed in DELETE statements.",
                      returning_text(returning)));
    }
    return {};
  }

  Result<void> take_columns() {
    if (star_and_more_) return invalid("Other attributes should not be present in the projection when '*' is used.");
    for (uint32_t column : columns_) {
      const PartiqlNode& node = statement_.nodes[column];
      if (node.kind == PartiqlKind::kPath) {
        statement_.columns.push_back(node.path);
      } else if (!statement_.columns_fault) {
        statement_.columns_fault = unexpected_component(node.at).error().message;
      }
    }
    return {};
  }

  std::vector<PartiqlTokenText> tokens_;
  size_t at_ = 0;
  unsigned depth_ = 0;
  PartiqlStatement statement_;
  std::vector<std::string> table_;
  std::vector<uint32_t> columns_;
  bool star_and_more_ = false;
  bool aliased_ = false;
};

}  // namespace

std::string position_text(const PartiqlPosition& at) { return fmt::format("{}:{}:{}", at.line, at.column, at.length); }

std::string_view returning_text(PartiqlReturning returning) {
  switch (returning) {
    case PartiqlReturning::kNone:
      return "";
    case PartiqlReturning::kAllOld:
      return "RETURNING ALL OLD *";
    case PartiqlReturning::kAllNew:
      return "RETURNING ALL NEW *";
    case PartiqlReturning::kModifiedOld:
      return "RETURNING MODIFIED OLD *";
    case PartiqlReturning::kModifiedNew:
      return "RETURNING MODIFIED NEW *";
  }
  return "";
}

Result<PartiqlStatement> parse_partiql(std::string_view text) {
  auto tokens = tokenize_partiql(text);
  if (!tokens) return malformed("");
  return Parser(std::move(*tokens)).run();
}

}  // namespace trestle
