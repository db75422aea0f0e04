#include "expression/condition.h"

#include <gtest/gtest.h>

#include "expression/values_for_test.h"

namespace trestle {
namespace {

using namespace testing;

const Item& song() {
  static const Item item{{"pk", s("song")},
                         {"n", n(5)},
                         {"m", n("5.5")},
                         {"t", s("hello")},
                         {"u", s("hello")},
                         {"bin", b("hi there")},
                         {"yes", Value::boolean(true)},
                         {"nil", Value::null()},
                         {"tags", ss({"blue", "red"})},
                         {"nums", ns({"2", "4", "7"})},
                         {"bins", bs({"x", "y"})},
                         {"l", list({n(2), s("dog"), ns({"1", "2"}), list({n(3)})})},
                         {"doc", map({{"x", n(1)}, {"y", list({n(-1), n(2), n(0)})}})}};
  return item;
}

std::string condition_message(std::string_view text, const Placeholders& placeholders = {},
                              ExpressionKind kind = ExpressionKind::kCondition) {
  Binding binding = Binding::make(placeholders, true).value();
  return message_of(compile_condition(text, kind, binding));
}

bool holds(std::string_view text, const Placeholders& placeholders = {}, ItemView item = song()) {
  Binding binding = Binding::make(placeholders, true).value();
  auto condition = compile_condition(text, ExpressionKind::kCondition, binding);
  EXPECT_TRUE(condition.has_value()) << text << ": " << message_of(condition);
  return condition && condition->matches(item);
}

const std::string kConditionPrefix = "Invalid ConditionExpression: ";

// ---- Evaluation.

TEST(Condition, values_of_every_type_equal_themselves) {
  const Value values[] = {n(1),           s("hello"),         Value::boolean(true), b("xyz"),       Value::null(),
                          list({s("a")}), map({{"a", n(1)}}), ss({"a", "b"}),       ns({"1", "2"}), bs({"x"})};
  for (const Value& a : values) {
    for (const Value& other : values) {
      const Item item{{"a", a}};
      EXPECT_EQ(holds("a = :v", placeholders_of({{":v", other}}), item), a == other);
      EXPECT_EQ(holds("a <> :v", placeholders_of({{":v", other}}), item), a != other);
      EXPECT_EQ(holds("a IN (:v)", placeholders_of({{":v", other}}), item), a == other);
    }
  }
}

TEST(Condition, attributes_compare_with_each_other) {
  EXPECT_TRUE(holds("t = u"));
  EXPECT_TRUE(holds("n < m"));
  EXPECT_FALSE(holds("n >= m"));
  EXPECT_FALSE(holds("n < t"));
}

TEST(Condition, an_absent_attribute_equals_nothing_and_differs_from_everything) {
  EXPECT_FALSE(holds("gone = :v", placeholders_of({{":v", n(1)}})));
  EXPECT_FALSE(holds("gone = absent"));
  EXPECT_TRUE(holds("gone <> absent"));
  EXPECT_TRUE(holds("gone <> :v", placeholders_of({{":v", n(1)}})));
  EXPECT_FALSE(holds("gone < :v", placeholders_of({{":v", n(1)}})));
  EXPECT_FALSE(holds("gone IN (:v)", placeholders_of({{":v", n(1)}})));
  EXPECT_FALSE(holds("gone BETWEEN :v AND :v", placeholders_of({{":v", n(1)}})));
  EXPECT_TRUE(holds("NOT gone = :v", placeholders_of({{":v", n(1)}})));
}

TEST(Condition, no_item_is_an_item_without_attributes) {
  EXPECT_TRUE(holds("attribute_not_exists(pk)", {}, ItemView()));
  EXPECT_FALSE(holds("attribute_exists(pk)", {}, ItemView()));
  EXPECT_TRUE(holds("pk <> :v", placeholders_of({{":v", n(1)}}), ItemView()));
}

TEST(Condition, numbers_order_by_value_and_strings_by_bytes) {
  EXPECT_TRUE(holds("n < :v", placeholders_of({{":v", n(10)}})));
  EXPECT_TRUE(holds("n <= :v", placeholders_of({{":v", n(5)}})));
  EXPECT_TRUE(holds("n > :v", placeholders_of({{":v", n(-10)}})));
  EXPECT_FALSE(holds("n > :v", placeholders_of({{":v", n(5)}})));
  EXPECT_TRUE(holds("t >= :v", placeholders_of({{":v", s("Hello")}})));
  EXPECT_TRUE(holds("bin < :v", placeholders_of({{":v", b("hj")}})));
  EXPECT_FALSE(holds("bin < :v", placeholders_of({{":v", s("hj")}})));
}

TEST(Condition, between_includes_both_bounds) {
  EXPECT_TRUE(holds("n BETWEEN :a AND :b", placeholders_of({{":a", n(5)}, {":b", n(6)}})));
  EXPECT_TRUE(holds("n BETWEEN :a AND :b", placeholders_of({{":a", n(4)}, {":b", n(5)}})));
  EXPECT_FALSE(holds("n BETWEEN :a AND :b", placeholders_of({{":a", n(6)}, {":b", n(7)}})));
  EXPECT_TRUE(holds("n BETWEEN doc.x AND m"));
  EXPECT_FALSE(holds("n BETWEEN m AND doc.x"));
  EXPECT_FALSE(holds("n BETWEEN t AND m"));
  EXPECT_TRUE(holds(":v BETWEEN doc.x AND n", placeholders_of({{":v", n(3)}})));
}

TEST(Condition, in_takes_operands_of_any_type) {
  EXPECT_TRUE(holds("n IN (:a, :b, :c)", placeholders_of({{":a", s("dog")}, {":b", n(5)}, {":c", n(6)}})));
  EXPECT_FALSE(holds("n IN (:a)", placeholders_of({{":a", s("5")}})));
  EXPECT_TRUE(holds("t IN (gone, u)"));
}

TEST(Condition, logic_binds_not_then_and_then_or) {
  const Placeholders values = placeholders_of({{":t", n(5)}, {":f", n(6)}});
  EXPECT_TRUE(holds("n = :t OR n = :f AND n = :f", values));
  EXPECT_FALSE(holds("(n = :t OR n = :f) AND n = :f", values));
  EXPECT_TRUE(holds("NOT n = :f AND n = :t", values));
  EXPECT_FALSE(holds("NOT (n = :f OR n = :t)", values));
  EXPECT_TRUE(holds("NOT NOT n = :t AND NOT n = :f", values));
}

TEST(Condition, attribute_exists_looks_into_documents) {
  EXPECT_TRUE(holds("attribute_exists(doc.y[2])"));
  EXPECT_FALSE(holds("attribute_exists(doc.y[3])"));
  EXPECT_FALSE(holds("attribute_exists(doc[0])"));
  EXPECT_FALSE(holds("attribute_exists(l.x)"));
  EXPECT_TRUE(holds("attribute_not_exists(doc.z)"));
  EXPECT_TRUE(holds("attribute_exists(nil)"));
  EXPECT_TRUE(holds("doc.x < doc.y[1]"));
  EXPECT_TRUE(holds("(doc).x < (doc.y)[1]"));
}

TEST(Condition, attribute_type_names_every_type) {
  const std::pair<const char*, const char*> types[] = {{"n", "N"},      {"t", "S"},     {"bin", "B"},   {"yes", "BOOL"},
                                                       {"nil", "NULL"}, {"tags", "SS"}, {"nums", "NS"}, {"bins", "BS"},
                                                       {"l", "L"},      {"doc", "M"}};
  for (const auto& [attribute, type] : types) {
    for (const auto& [other, other_type] : types) {
      EXPECT_EQ(holds(std::string("attribute_type(") + attribute + ", :t)", placeholders_of({{":t", s(other_type)}})),
                type == other_type);
    }
  }
  EXPECT_TRUE(holds("attribute_type(:v, :t)", placeholders_of({{":v", n(1)}, {":t", s("N")}})));
  EXPECT_FALSE(holds("attribute_type(gone, :t)", placeholders_of({{":t", s("N")}})));
}

TEST(Condition, begins_with_works_on_strings_and_binaries_either_way_round) {
  EXPECT_TRUE(holds("begins_with(t, :v)", placeholders_of({{":v", s("hell")}})));
  EXPECT_TRUE(holds("begins_with(t, :v)", placeholders_of({{":v", s("")}})));
  EXPECT_FALSE(holds("begins_with(t, :v)", placeholders_of({{":v", s("hello!")}})));
  EXPECT_TRUE(holds("begins_with(bin, :v)", placeholders_of({{":v", b("hi")}})));
  EXPECT_FALSE(holds("begins_with(bin, :v)", placeholders_of({{":v", s("hi")}})));
  EXPECT_FALSE(holds("begins_with(n, :v)", placeholders_of({{":v", s("5")}})));
  EXPECT_TRUE(holds("begins_with(:v, t)", placeholders_of({{":v", s("hello world")}})));
}

TEST(Condition, contains_finds_substrings_members_and_elements) {
  EXPECT_TRUE(holds("contains(t, :v)", placeholders_of({{":v", s("ell")}})));
  EXPECT_TRUE(holds("contains(t, :v)", placeholders_of({{":v", s("")}})));
  EXPECT_TRUE(holds("contains(bin, :v)", placeholders_of({{":v", b("here")}})));
  EXPECT_FALSE(holds("contains(t, :v)", placeholders_of({{":v", b("ell")}})));
  EXPECT_TRUE(holds("contains(tags, :v)", placeholders_of({{":v", s("red")}})));
  EXPECT_FALSE(holds("contains(tags, :v)", placeholders_of({{":v", s("re")}})));
  EXPECT_TRUE(holds("contains(nums, :v)", placeholders_of({{":v", n(4)}})));
  EXPECT_FALSE(holds("contains(nums, :v)", placeholders_of({{":v", s("4")}})));
  EXPECT_TRUE(holds("contains(bins, :v)", placeholders_of({{":v", b("y")}})));
  EXPECT_TRUE(holds("contains(l, :v)", placeholders_of({{":v", s("dog")}})));
  EXPECT_TRUE(holds("contains(l, :v)", placeholders_of({{":v", ns({"1", "2"})}})));
  EXPECT_TRUE(holds("contains(l, :v)", placeholders_of({{":v", list({n(3)})}})));
  EXPECT_FALSE(holds("contains(l, :v)", placeholders_of({{":v", n(3)}})));
  EXPECT_FALSE(holds("contains(n, :v)", placeholders_of({{":v", n(5)}})));
  EXPECT_FALSE(holds("contains(doc, :v)", placeholders_of({{":v", s("x")}})));
}

TEST(Condition, size_of_a_string_is_in_utf_16_units) {
  const Item item{{"t", s("aé€😀")}, {"e", s("")}};
  EXPECT_TRUE(holds("size(t) = :v", placeholders_of({{":v", n(5)}}), item));
  EXPECT_TRUE(holds("size(e) = :v", placeholders_of({{":v", n(0)}}), item));
}

TEST(Condition, size_counts_bytes_or_elements) {
  const std::pair<const char*, int> sizes[] = {{"t", 5}, {"bin", 8}, {"tags", 2}, {"nums", 3}, {"l", 4}, {"doc", 2}};
  for (const auto& [attribute, size] : sizes) {
    EXPECT_TRUE(holds(std::string("size(") + attribute + ") = :v", placeholders_of({{":v", n(size)}}))) << attribute;
  }
  EXPECT_TRUE(holds("size(t) = n"));
  EXPECT_TRUE(holds("size(t) > size(tags)"));
  EXPECT_TRUE(holds("(size(t)) BETWEEN :v AND n", placeholders_of({{":v", n(1)}})));
  EXPECT_FALSE(holds("size(t) = :v", placeholders_of({{":v", s("5")}})));
}

TEST(Condition, numbers_booleans_and_nulls_have_no_size) {
  for (const char* attribute : {"n", "yes", "nil", "gone"}) {
    EXPECT_FALSE(holds(std::string("size(") + attribute + ") = :v", placeholders_of({{":v", n(1)}})));
    EXPECT_FALSE(holds(std::string("size(") + attribute + ") < :v", placeholders_of({{":v", n(100)}})));
  }
}

TEST(Condition, names_come_from_placeholders) {
  const Item item{{"and", n(1)}, {"a.b", n(2)}};
  EXPECT_TRUE(holds("attribute_exists(#n)", placeholders_of_names({{"#n", "and"}}), item));
  EXPECT_TRUE(holds("#n = :v", placeholders_of({{"#n", "a.b"}}, {{":v", n(2)}}), item));
}

TEST(Condition, lists_the_attributes_it_mentions) {
  const Placeholders placeholders = placeholders_of({{"#b", "b"}}, {{":v", n(1)}});
  Binding binding = Binding::make(placeholders, true).value();
  const auto condition =
      compile_condition("a.x = :v AND size(#b) > :v OR c IN (d[0])", ExpressionKind::kFilter, binding);
  EXPECT_EQ(condition->attributes(), (std::vector<std::string_view>{"a", "b", "c", "d"}));
  EXPECT_EQ(condition->nested_attributes(), (std::vector<std::string_view>{"a", "d"}));
}

// ---- Rejected expressions.

TEST(Condition, messages_name_the_parameter) {
  EXPECT_EQ(condition_message("a"), "Invalid ConditionExpression: Syntax error; token: \"<EOF>\", near: \"a\"");
  EXPECT_EQ(condition_message("a", {}, ExpressionKind::kFilter),
            "Invalid FilterExpression: Syntax error; token: \"<EOF>\", near: \"a\"");
}

TEST(Condition, undefined_names_are_refused) {
  const std::pair<const char*, const char*> cases[] = {
      {"attribute_exists(#Pictures.RearView, :a) and a=a", "#Pictures"},
      {"begins_with(Pictures.#RearView)", "#RearView"},
      {"(#P between :lo and :hi) and (#PC in (:cat1, :cat2))", "#P"},
      {"#4g > a", "#4g"},
      {"(a)between(b.c[45].#d)and(:a)", "#d"}};
  for (const auto& [text, name] : cases) {
    EXPECT_EQ(condition_message(text),
              kConditionPrefix +
                  "An expression attribute name used in the document path is not defined; attribute name: " + name);
  }
}

TEST(Condition, undefined_values_are_refused) {
  const std::pair<const char*, const char*> cases[] = {
      {"begins_with(:hello, #a, #b)", ":hello"}, {":a < :b", ":a"}, {":_ > a", ":_"}};
  for (const auto& [text, value] : cases) {
    EXPECT_EQ(condition_message(text),
              kConditionPrefix +
                  "An expression attribute value used in expression is not defined; attribute value: " + value);
  }
}

TEST(Condition, conditions_are_checked_from_the_left) {
  EXPECT_EQ(condition_message("begins_with(a, :n) AND b = :missing", placeholders_of({{":n", n(1)}})),
            kConditionPrefix +
                "Incorrect operand type for operator or function; operator or function: begins_with, "
                "operand type: N");
  EXPECT_EQ(
      condition_message("b = :missing AND begins_with(a, :n)", placeholders_of({{":n", n(1)}})),
      kConditionPrefix + "An expression attribute value used in expression is not defined; attribute value: :missing");
}

TEST(Condition, functions_take_a_fixed_number_of_operands) {
  const std::tuple<const char*, const char*, int> cases[] = {
      {"attribute_exists(things, a) and a=a", "attribute_exists", 2},
      {"attribute_not_exists(things, b)", "attribute_not_exists", 2},
      {"attribute_type(things)", "attribute_type", 1},
      {"begins_with(things)", "begins_with", 1},
      {"begins_with(things, size(a), b)", "begins_with", 3},
      {"contains(things)", "contains", 1},
      {"size(things, a) > b", "size", 2}};
  for (const auto& [text, function, count] : cases) {
    EXPECT_EQ(condition_message(text),
              kConditionPrefix + "Incorrect number of operands for operator or function; operator or function: " +
                  function + ", number of operands: " + std::to_string(count));
  }
}

TEST(Condition, operands_have_types_that_make_sense) {
  const std::tuple<const char*, const char*, Value, const char*> cases[] = {
      {"attribute_type(a, size(a)) and a=a and a=:a", "attribute_type", n(1), "N"},
      {"attribute_type(a, :a)", "attribute_type", b("a"), "B"},
      {"attribute_type(a, :a)", "attribute_type", ss({"a"}), "SS"},
      {"begins_with(a, size(a)) and a=:a", "begins_with", n(1), "N"},
      {"begins_with(a, :a)", "begins_with", Value::boolean(true), "BOOL"},
      {"begins_with(a, :a)", "begins_with", list({}), "L"},
      {"begins_with(:a, a)", "begins_with", Value::null(), "NULL"},
      {"begins_with(:a, a)", "begins_with", map({}), "M"},
      {"size(size(a)) > :a", "size", n(1), "N"},
      {"attribute_not_exists(size(:a))", "size", n(1), "N"},
      {"size(:a) > a", "size", Value::boolean(true), "BOOL"},
      {"size(:a) > a", "size", Value::null(), "NULL"},
      {"a < :a", "<", Value::boolean(true), "BOOL"},
      {":a >= a", ">=", ns({"1"}), "NS"},
      {"a > :a", ">", map({}), "M"},
      {"a <= :a", "<=", list({}), "L"},
      {"a BETWEEN :a AND b", "BETWEEN", Value::boolean(true), "BOOL"},
      {"a BETWEEN b AND :a", "BETWEEN", bs({"x"}), "BS"}};
  for (const auto& [text, operation, value, type] : cases) {
    EXPECT_EQ(condition_message(text, placeholders_of({{":a", value}})),
              kConditionPrefix + "Incorrect operand type for operator or function; operator or function: " + operation +
                  ", operand type: " + type);
  }
  EXPECT_EQ(condition_message("attribute_type(ab.bc[1].a, SS)"),
            kConditionPrefix +
                "Incorrect operand type for operator or function; operator or function: attribute_type, "
                "operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}");
}

TEST(Condition, attribute_type_takes_a_type) {
  EXPECT_EQ(
      condition_message("attribute_type(a, :a)", placeholders_of({{":a", s("DOG")}})),
      kConditionPrefix + "Invalid attribute type name found; type: DOG, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}");
}

TEST(Condition, existence_is_of_a_path) {
  EXPECT_EQ(condition_message("attribute_exists(:a) and a=a", placeholders_of({{":a", s("1")}})),
            kConditionPrefix + "Operator or function requires a document path; operator or function: attribute_exists");
  EXPECT_EQ(
      condition_message("attribute_not_exists(size(:a))", placeholders_of({{":a", s("1")}})),
      kConditionPrefix + "Operator or function requires a document path; operator or function: attribute_not_exists");
}

TEST(Condition, operands_are_distinct_paths) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"a = a AND #a = b AND :views > a", "=", "[a]"},
      {"#a <> a", "<>", "[a]"},
      {"a > #a", ">", "[a]"},
      {"((a=a) OR (a=#a))", "=", "[a]"},
      {"contains(ab.bc[1].a, ab.bc[1].#a)", "contains", "[ab, bc, [1], a]"},
      {"attribute_type(ab.bc[1].#a, ab.bc[1].a)", "attribute_type", "[ab, bc, [1], a]"},
      {"begins_with(ab.bc[1].a, ab.bc[1].#a)", "begins_with", "[ab, bc, [1], a]"},
      {"a IN (b, #a)", "IN", "[a]"},
      {"a BETWEEN b AND a", "BETWEEN", "[a]"}};
  for (const auto& [text, operation, path] : cases) {
    EXPECT_EQ(condition_message(text, placeholders_of_names({{"#a", "a"}})),
              kConditionPrefix +
                  "The first operand must be distinct from the remaining operands for this operator or function; "
                  "operator: " +
                  operation + ", first operand: " + path);
  }
  EXPECT_EQ(condition_message(":a = :a", placeholders_of({{":a", n(1)}})), "(no error)");
}

TEST(Condition, bounds_are_of_one_type_and_in_order) {
  EXPECT_EQ(condition_message("a BETWEEN :l AND :h", placeholders_of({{":l", s("b")}, {":h", s("a")}})),
            kConditionPrefix +
                "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
                "lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}");
  EXPECT_EQ(condition_message("a BETWEEN :l AND :h", placeholders_of({{":l", n(10)}, {":h", s("a")}})),
            kConditionPrefix +
                "The BETWEEN operator requires same data type for lower and upper bounds; "
                "lower bound operand: AttributeValue: {N:10}, upper bound operand: AttributeValue: {S:a}");
  EXPECT_EQ(condition_message("a BETWEEN :l AND :h", placeholders_of({{":l", b("bb")}, {":h", b("a")}})),
            kConditionPrefix +
                "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
                "lower bound operand: AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=2 cap=2]}, "
                "upper bound operand: AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]}");
  EXPECT_EQ(condition_message("a BETWEEN :l AND :h", placeholders_of({{":l", n(9)}, {":h", n(10)}})), "(no error)");
}

TEST(Condition, in_takes_up_to_a_hundred_operands) {
  const auto in_of = [](int count) {
    std::string text = "a IN (:v";
    for (int i = 1; i < count; ++i) text += ",:v";
    return text + ")";
  };
  EXPECT_EQ(condition_message(in_of(100), placeholders_of({{":v", n(1)}})), "(no error)");
  EXPECT_EQ(condition_message(in_of(101), placeholders_of({{":v", n(1)}})),
            kConditionPrefix + "The IN operator is provided with too many operands; number of operands: 101");
}

TEST(Condition, a_path_has_up_to_32_elements) {
  std::string path = "a";
  for (int i = 1; i < 32; ++i) path += ".b";
  EXPECT_EQ(condition_message("attribute_exists(" + path + ")"), "(no error)");
  EXPECT_EQ(condition_message("attribute_exists(" + path + ".b)"),
            kConditionPrefix + "The document path has too many nesting levels; nesting levels: 33");
}

}  // namespace
}  // namespace trestle
