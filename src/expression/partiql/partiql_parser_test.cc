#include "expression/partiql/partiql_parser.h"

#include <gtest/gtest.h>

#include "expression/values_for_test.h"

namespace trestle {
namespace {

std::string statement_refusal(std::string_view text) {
  const auto statement = parse_partiql(text);
  return statement ? "(no error)" : statement.error().message;
}

std::string malformed(std::string_view detail) {
  return "Statement wasn't well formed, can't be processed: " + std::string(detail);
}

TEST(PartiqlLexer, positions_count_characters_and_lines) {
  const auto tokens = tokenize_partiql("\"\xC3\xA4\" x -- c\n  /* d */ 'it''s'");
  ASSERT_TRUE(tokens.has_value());
  ASSERT_EQ(tokens->size(), 4u);
  EXPECT_EQ(position_text((*tokens)[0].at), "1:1:3");
  EXPECT_EQ(position_text((*tokens)[1].at), "1:5:1");
  EXPECT_EQ(position_text((*tokens)[2].at), "2:11:7");
  EXPECT_EQ((*tokens)[2].text, "it's");
}

TEST(PartiqlLexer, keywords_are_case_insensitive_and_quoting_frees_them) {
  const auto tokens = tokenize_partiql("SeLect \"select\" selects AND");
  ASSERT_TRUE(tokens.has_value());
  EXPECT_EQ((*tokens)[0].kind, PartiqlToken::kKeyword);
  EXPECT_EQ((*tokens)[1].kind, PartiqlToken::kQuoted);
  EXPECT_EQ((*tokens)[2].kind, PartiqlToken::kIdentifier);
  EXPECT_EQ((*tokens)[3].kind, PartiqlToken::kOperator);
}

TEST(PartiqlLexer, exponents_fit_in_32_bits) {
  EXPECT_TRUE(tokenize_partiql("1e2147483647").has_value());
  EXPECT_FALSE(tokenize_partiql("1e2147483648").has_value());
  EXPECT_FALSE(tokenize_partiql("1e99999999999999999999999").has_value());
  EXPECT_FALSE(tokenize_partiql("1.5e-2147483647").has_value());
  EXPECT_TRUE(tokenize_partiql(".5E+3").has_value());
  EXPECT_FALSE(tokenize_partiql("1e").has_value());
}

TEST(PartiqlParser, a_select_has_its_clauses) {
  const auto statement = parse_partiql("SELECT a.b[1], \"c d\" FROM t.\"i\" WHERE x = ? AND y > 2 ORDER BY x DESC, y;");
  ASSERT_TRUE(statement.has_value()) << statement.error().message;
  EXPECT_EQ(statement->table_name, "t");
  EXPECT_EQ(statement->index_name, "i");
  EXPECT_EQ(statement->parameter_count, 1u);
  ASSERT_EQ(statement->columns.size(), 2u);
  EXPECT_EQ(statement->columns[0].size(), 3u);
  EXPECT_EQ(statement->columns[1][0].name, "c d");
  ASSERT_EQ(statement->order.size(), 2u);
  EXPECT_TRUE(statement->order[0].descending);
  EXPECT_FALSE(statement->order[1].descending);
}

TEST(PartiqlParser, and_binds_tighter_than_or_and_not_looser_than_comparisons) {
  const auto statement = parse_partiql("SELECT * FROM t WHERE NOT a = 1 AND b = 2 OR c = 3");
  ASSERT_TRUE(statement.has_value());
  const PartiqlNode& root = statement->node(*statement->where);
  ASSERT_EQ(root.kind, PartiqlKind::kOr);
  const PartiqlNode& both = statement->child(root, 0);
  ASSERT_EQ(both.kind, PartiqlKind::kAnd);
  const PartiqlNode& negation = statement->child(both, 0);
  ASSERT_EQ(negation.kind, PartiqlKind::kNot);
  EXPECT_EQ(statement->child(negation, 0).kind, PartiqlKind::kComparison);
}

TEST(PartiqlParser, updates_come_in_either_order_of_clauses) {
  for (const char* text : {"UPDATE t SET a = 1, b = 2 REMOVE c WHERE k = 'x' RETURNING ALL NEW *",
                           "FROM t WHERE k = 'x' SET a = 1, b = 2 REMOVE c RETURNING ALL NEW *"}) {
    const auto statement = parse_partiql(text);
    ASSERT_TRUE(statement.has_value()) << text;
    EXPECT_EQ(statement->verb, PartiqlVerb::kUpdate);
    ASSERT_EQ(statement->changes.size(), 3u);
    EXPECT_FALSE(statement->changes[2].value.has_value());
    EXPECT_TRUE(statement->where.has_value());
    EXPECT_EQ(statement->returning, PartiqlReturning::kAllNew);
  }
}

TEST(PartiqlParser, faults_are_reported_in_the_services_words) {
  EXPECT_EQ(statement_refusal("SELECT * FROM t WHERE"), malformed("Unexpected term"));
  EXPECT_EQ(statement_refusal("SELECT * FROM t WHERE a = 1 foo"), malformed("Unexpected token after expression"));
  EXPECT_EQ(statement_refusal("SELECT * FROM t WHERE a = 1 AND"),
            malformed("Missing right-hand side expression of infix operator"));
  EXPECT_EQ(statement_refusal("SLECT * FROM t"), malformed("Expected data manipulation"));
  EXPECT_EQ(statement_refusal("SELECT * FROM t WHERE a.inner = 1"), malformed("Invalid path dot component"));
  EXPECT_EQ(statement_refusal("SELECT * FROM t x"), "Aliasing is not supported");
  EXPECT_EQ(statement_refusal("SELECT * FROM a.b.c"), "A path may contain at most 2 components in the FROM clause");
}

TEST(PartiqlParser, a_subquery_leaves_its_statement_alone) {
  const auto statement =
      parse_partiql("SELECT a FROM t WHERE EXISTS(SELECT b FROM u x WHERE c = 1 ORDER BY d) AND e = 2");
  ASSERT_TRUE(statement.has_value()) << statement.error().message;
  EXPECT_EQ(statement->verb, PartiqlVerb::kSelect);
  EXPECT_EQ(statement->table_name, "t");
  EXPECT_FALSE(statement->index_name.has_value());
  EXPECT_EQ(statement->columns.size(), 1u);
  EXPECT_TRUE(statement->order.empty());
  EXPECT_EQ(statement->node(*statement->where).kind, PartiqlKind::kAnd);
}

TEST(PartiqlParser, no_text_overflows_the_stack) {
  for (const char* part : {"(", "[", "{'a':", "<<", "NOT ", "- ", "f(", "(SELECT * FROM ", "FROM "}) {
    std::string text = "SELECT * FROM t WHERE ";
    while (text.size() < 8000) text += part;
    EXPECT_NE(statement_refusal(text), "(no error)");
  }
}

}  // namespace
}  // namespace trestle
