#include "engine/statements/statement_plan.h"

#include <gtest/gtest.h>

#include "engine/statements/statement_token.h"
#include "expression/partiql/partiql_parser.h"

namespace trestle {
namespace {

const KeySchema kKey{.hash = {{"pk", ValueType::kString}}, .range = {{"sk", ValueType::kString}}};

// The plan as text: "item a/1", "partitions a/= b" or "scan", with "+" if a filter is needed; or the error message.
std::string plan_text(std::string_view rest) {
  const auto statement = parse_partiql("SELECT * FROM t " + std::string(rest));
  if (!statement) return statement.error().message;
  const std::vector<Value> none;
  const PartiqlLowering lowering(*statement, none);
  const auto plan = plan_select(*statement, lowering, kKey);
  if (!plan) return plan.error().message;
  constexpr const char* kNames[] = {"item", "partitions", "scan"};
  std::string text = kNames[static_cast<int>(plan->kind)];
  for (const KeyRead& read : plan->reads) {
    text += " " + std::string(read.hash.scalar());
    if (read.range) text += "/" + std::string(read.range->first.scalar());
  }
  if (plan->needs_filter) text += "+";
  if (plan->backward) text += " backward";
  return text;
}

TEST(StatementPlan, the_whole_key_is_one_item) {
  EXPECT_EQ(plan_text("WHERE pk = 'a' AND sk = '1'"), "item a/1");
  EXPECT_EQ(plan_text("WHERE ('1' = sk) AND pk IN ['a'] AND pk = 'a'"), "item a/1");
  EXPECT_EQ(plan_text("WHERE pk = 'a' AND sk = '1' AND f = 1"), "partitions a/1+");
}

TEST(StatementPlan, a_partition_key_is_a_query) {
  EXPECT_EQ(plan_text("WHERE pk = 'a'"), "partitions a");
  EXPECT_EQ(plan_text("WHERE pk = 'a' AND sk BETWEEN '1' AND '2'"), "partitions a/1");
  EXPECT_EQ(plan_text("WHERE pk = 'a' AND begins_with(sk, '1') AND f = 1"), "partitions a/1+");
  EXPECT_EQ(plan_text("WHERE pk = 'a' AND sk <> '1'"), "partitions a+");
  EXPECT_EQ(plan_text("WHERE pk = 'a' AND (f = 1 OR g = 2)"), "partitions a+");
}

TEST(StatementPlan, anything_else_is_a_scan) {
  EXPECT_EQ(plan_text(""), "scan");
  for (const char* where : {"pk > 'a'", "f = 1", "pk = 'a' OR f = 1", "NOT pk = 'a'", "pk = 'a' AND pk = 'b'",
                            "pk = 'a' AND (pk = 'b' OR f = 1)", "pk = sk", "sk = '1'"}) {
    EXPECT_EQ(plan_text("WHERE " + std::string(where)), "scan+") << where;
  }
}

TEST(StatementPlan, several_keys_are_read_in_the_order_of_their_digests) {
  EXPECT_EQ(plan_text("WHERE pk IN ['b', 'q']"), "partitions q b");
  EXPECT_EQ(plan_text("WHERE pk = 'y' OR pk = 'y2' OR pk = 'z'"), "partitions y2 y z");
  EXPECT_EQ(plan_text("WHERE pk = 'a' AND sk IN ['2', '1']"), "partitions a/1 a/2");
  EXPECT_EQ(plan_text("WHERE pk IN ['b', 'q'] AND (sk = '1' OR sk = '2')"), "partitions q/1 q/2 b/1 b/2");
}

TEST(StatementPlan, order_by_decides_the_order) {
  EXPECT_EQ(plan_text("WHERE pk IN ['b', 'q'] ORDER BY pk, sk"), "partitions b q");
  EXPECT_EQ(plan_text("WHERE pk IN ['b', 'q'] ORDER BY pk DESC, sk DESC"), "partitions q b backward");
  EXPECT_EQ(plan_text("WHERE pk = 'a' ORDER BY pk"), "partitions a backward");
  EXPECT_EQ(plan_text("WHERE pk = 'a' AND sk IN ['1', '2'] ORDER BY sk DESC"), "partitions a/2 a/1 backward");
}

TEST(StatementPlan, reads_of_one_partition_may_not_overlap) {
  constexpr const char* kOverlap = "Overlapping conditions with range keys are not supported in where clause";
  EXPECT_EQ(plan_text("WHERE pk IN ['a', 'a']"), kOverlap);
  EXPECT_EQ(plan_text("WHERE pk = 'a' AND (sk > '0' OR sk < '5')"), kOverlap);
  EXPECT_EQ(plan_text("WHERE pk = 'a' AND (sk = '1' OR f = 1)"), kOverlap);
  EXPECT_EQ(plan_text("WHERE pk = 'a' AND (sk < '1' OR sk > '1')"), "partitions a/1 a/1");
  EXPECT_EQ(plan_text("WHERE pk = 'a' AND NOT sk = '1' OR pk = 'a' AND sk = '2'"), "partitions a+");
}

TEST(StatementPlan, too_many_branches_are_rejected_or_scanned) {
  std::string where = "WHERE pk = 'a'";
  std::string unkeyed = "WHERE f = 1";
  for (int i = 0; i < 12; ++i) {
    where += " AND (sk = '1' OR sk = '2')";
    unkeyed += " AND (sk = '1' OR sk = '2')";
  }
  EXPECT_EQ(plan_text(where), "Too many decomposed read operations for a given query.");
  EXPECT_EQ(plan_text(unkeyed), "scan+");
}

TEST(StatementPlan, a_write_separates_its_key_from_the_condition) {
  const auto statement =
      parse_partiql("DELETE FROM t WHERE (pk = 'a' AND f = 1) AND sk = '1' AND NOT g = 2 AND pk = 'a'");
  ASSERT_TRUE(statement.has_value());
  const std::vector<Value> none;
  const PartiqlLowering lowering(*statement, none);
  const auto key = find_write_key(*statement, lowering, kKey);
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(key->values.size(), 2u);
  EXPECT_EQ(key->conditions.size(), 2u);
  EXPECT_FALSE(key->repeated_attribute.has_value());
}

TEST(StatementToken, tokens_round_trip_and_other_texts_are_rejected) {
  const Statement statement{.text = "SELECT", .parameters = {Value::number(1)}};
  const StatementPlace place{.read = 300, .after = Item{{"pk", Value::string("a")}}};
  const std::string token = statement_token(statement, place);
  const auto read = read_statement_token(statement, token);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->read, 300u);
  EXPECT_EQ(read->after, place.after);
  for (size_t length = 0; length < token.size(); ++length) {
    EXPECT_FALSE(read_statement_token(statement, token.substr(0, length)).has_value()) << length;
  }
  EXPECT_EQ(read_statement_token({.text = "SELECT", .parameters = {Value::number(2)}}, token).error().message,
            "NextToken does not match request");
  for (const auto* text : {"nonsense, but long enough", "bm9uc2Vuc2UsIGJ1dCBsb25nIGVub3VnaA=="}) {
    EXPECT_EQ(read_statement_token(statement, text).error().message, "Invalid NextToken") << text;
  }
}

}  // namespace
}  // namespace trestle
