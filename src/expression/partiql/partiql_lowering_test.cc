#include "expression/partiql/partiql_lowering.h"

#include <gtest/gtest.h>

#include "expression/condition.h"
#include "expression/partiql/partiql_parser.h"
#include "expression/values_for_test.h"

namespace trestle {
namespace {

using namespace testing;

struct Lowered {
  std::string text;
  Placeholders placeholders;
};

Result<Lowered> lower_where(std::string_view condition, std::vector<Value> parameters = {}) {
  TRY_INTO(const PartiqlStatement statement, parse_partiql("SELECT * FROM t WHERE " + std::string(condition)));
  PartiqlLowering lowering(statement, parameters);
  TRY_INTO(std::string text, lowering.condition(*statement.where));
  return Lowered{std::move(text), lowering.release_placeholders()};
}

std::string text_of(std::string_view condition) {
  const auto lowered = lower_where(condition);
  return lowered ? lowered->text : lowered.error().message;
}

bool statement_holds(std::string_view condition, const Item& item) {
  const auto lowered = lower_where(condition);
  EXPECT_TRUE(lowered.has_value()) << condition;
  auto binding = Binding::make(lowered->placeholders, true);
  EXPECT_TRUE(binding.has_value()) << message_of(binding);
  const auto compiled = compile_condition(lowered->text, ExpressionKind::kFilter, *binding);
  EXPECT_TRUE(compiled.has_value()) << lowered->text << ": " << message_of(compiled);
  return compiled && compiled->matches(item);
}

TEST(PartiqlLowering, conditions_become_expressions) {
  EXPECT_EQ(text_of("a = 1 AND b.c[2] <> a"), "#0 = :0 AND #1.#2[2] <> #0");
  EXPECT_EQ(text_of("a IN [1, 'x']"), "#0 IN (:0,:1)");
  EXPECT_EQ(text_of("a IS MISSING AND b IS NOT NULL"), "attribute_not_exists(#0) AND NOT attribute_type(#1, :0)");
  EXPECT_EQ(text_of("a BETWEEN 1 AND 2 OR BEGINS_WITH(b, 'x')"), "#0 BETWEEN :0 AND :1 OR begins_with(#1, :2)");
}

TEST(PartiqlLowering, parentheses_stand_only_where_they_matter) {
  EXPECT_EQ(text_of("((a = 1)) AND ((b = 1 OR (c = 1)))"), "#0 = :0 AND (#1 = :0 OR #2 = :0)");
  EXPECT_EQ(text_of("(a = 1 AND b = 1) OR c = 1"), "#0 = :0 AND #1 = :0 OR #2 = :0");
  EXPECT_EQ(text_of("NOT (a = 1 AND b = 1)"), "NOT (#0 = :0 AND #1 = :0)");
  EXPECT_EQ(text_of("NOT (NOT a = 1)"), "NOT NOT #0 = :0");
}

TEST(PartiqlLowering, a_condition_compares_as_a_boolean) {
  const Item item{{"n", n(1)}, {"yes", Value::boolean(true)}, {"text", s("x")}};
  for (const char* text :
       {"attribute_exists(n) = true", "attribute_exists(none) = false", "attribute_exists(n) <> 1",
        "attribute_exists(n) = yes", "(n = 5 OR text = 'y') = false", "attribute_exists(n) = attribute_exists(yes)",
        "(attribute_exists(none) = text) = false", "attribute_exists(none) IN [true, false]"}) {
    EXPECT_TRUE(statement_holds(text, item)) << text;
    EXPECT_FALSE(statement_holds("NOT (" + std::string(text) + ")", item)) << text;
  }
}

TEST(PartiqlLowering, literals_become_canonical_values) {
  const Item item{{"m", map({{"a", n(1)}, {"b", list({s("x"), Value::null()})}})}, {"ns", ns({"1", "2.5"})}};
  EXPECT_TRUE(statement_holds("m = {'b': ['x', null], 'a': 1.0}", item));
  EXPECT_TRUE(statement_holds("ns = <<2.50, 1>>", item));
  EXPECT_FALSE(statement_holds("m = {'b': [null, 'x'], 'a': 1}", item));
}

TEST(PartiqlLowering, a_fault_says_where_it_lies) {
  EXPECT_EQ(text_of("a = [1, {'x': 1e126}]"),
            "Number overflow. Attempting to store a number with magnitude larger than supported range under root[1].x");
  EXPECT_EQ(text_of("a = [?]"), "Unsupported data type: Parameter under key root[0] at 1:28:1");
  EXPECT_EQ(text_of("none(a)"), "Unrecognized function: none at 1:23:4");
  EXPECT_EQ(text_of("a = ?"), "Number of parameters in request and statement don't match.");
}

TEST(PartiqlLowering, changes_become_one_update_expression) {
  const auto statement = parse_partiql(
      "UPDATE t SET a = a + 1, b.c = list_append(b.c, [2]) REMOVE d SET e = set_add(e, <<'x'>>) "
      "SET f = set_delete(f, <<'y'>>) REMOVE g[0] WHERE k = 1");
  ASSERT_TRUE(statement.has_value()) << message_of(statement);
  const std::vector<Value> none;
  PartiqlLowering lowering(*statement, none);
  const auto text = lowering.update();
  ASSERT_TRUE(text.has_value()) << message_of(text);
  EXPECT_EQ(*text, "SET #0 = #0 + :0, #1.#2 = list_append(#1.#2, :1) REMOVE #3, #6[0] ADD #4 :2 DELETE #5 :3");
}

}  // namespace
}  // namespace trestle
