// The implementation of parse_partiql(): recursive descent over the tokens of a statement, with one function for each
// rule of the grammar in partiql_parser.h.
//
// A rule starts at the current token and, on success, has consumed its tokens. It appends nodes to statement_ and
// returns the index of its own node; the contents of clauses also go into statement_. Tables, columns and aliases are
// only recorded, and checked once the whole text has been parsed, because DynamoDB reports syntax errors first. The
// last token is always kEnd and no rule consumes it, so token() is always valid. An object serves a single run() on one
// thread.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "expression/partiql/partiql_ast.h"
#include "expression/partiql/partiql_lexer.h"
#include "expression/partiql/partiql_parser.h"
#include "expression/text_check.h"

namespace trestle {

class PartiqlParser {
 public:
  explicit PartiqlParser(std::vector<PartiqlTokenText> tokens) : tokens_(std::move(tokens)) {}

  Result<PartiqlStatement> run();

  static std::unexpected<Error> malformed(std::string_view detail) {
    return invalid(fmt::format("Statement wasn't well formed, can't be processed: {}", detail));
  }

 private:
  static constexpr unsigned kDepthMax = 120;

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

  static std::unexpected<Error> unexpected_component(const PartiqlPosition& at) {
    return invalid(fmt::format("Unexpected path component at {}", position_text(at)));
  }

  // ---- Statements and their clauses: partiql_statements.cc.

  Result<void> select();
  Result<void> insert();
  Result<void> update();
  Result<void> from_first();
  Result<void> remove_items();
  // A SELECT inside an expression. Only its syntax is checked, because DynamoDB does not execute subqueries.
  Result<void> subquery();

  Result<void> columns();
  Result<void> source();
  Result<void> table();
  Result<void> table_path();
  Result<void> where();
  Result<void> order();
  Result<void> changes();
  Result<PartiqlPath> simple_path();
  Result<void> returning();

  // ---- Operators, from the lowest precedence to the highest: partiql_expressions.cc.

  Result<uint32_t> disjunction();
  Result<uint32_t> conjunction();
  Result<uint32_t> chain(PartiqlKind kind, std::string_view word, Result<uint32_t> (PartiqlParser::*operand)());
  Result<void> require_operand() const;
  Result<uint32_t> negation();
  Result<uint32_t> comparison();
  Result<uint32_t> type_test(uint32_t value);
  Result<uint32_t> in_list();
  Result<uint32_t> sum();
  Result<uint32_t> product();
  Result<uint32_t> unary();

  // ---- Terms, paths and literals: partiql_terms.cc.

  Result<uint32_t> path_term();
  Result<void> path_steps(PartiqlPath& path);
  Result<PartiqlStep> bracket_step();
  Result<uint32_t> term();
  Result<uint32_t> literal(PartiqlKind kind);
  Result<uint32_t> keyword_term();
  Result<uint32_t> parenthesis();
  Result<uint32_t> function();
  Result<uint32_t> sequence(PartiqlKind kind, PartiqlToken end, std::string_view end_name);
  // Parses up to and including the closing token.
  Result<void> elements(PartiqlNode& node, PartiqlToken end, std::string_view end_name);
  Result<uint32_t> map();

  // ---- Checks of what the syntax allows but DynamoDB does not: partiql_parser.cc.

  // The name of the type in DynamoDB's messages.
  static std::string_view type_of(const PartiqlNode& node);
  Result<void> accept_expression(uint32_t root);
  Result<void> check_meaning();
  Result<void> take_columns();

  std::vector<PartiqlTokenText> tokens_;
  size_t at_ = 0;
  unsigned depth_ = 0;
  PartiqlStatement statement_;
  std::vector<std::string> table_;
  std::vector<uint32_t> columns_;
  bool star_and_more_ = false;
  bool aliased_ = false;
};

}  // namespace trestle
