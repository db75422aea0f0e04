#include "expression/parser.h"

#include <gtest/gtest.h>

#include "expression/expression_cache.h"

namespace trestle {
namespace {

std::string fault(std::string_view text, Grammar grammar) {
  const auto parsed = parse_expression(text, grammar);
  return parsed ? "(none)" : parsed.error();
}
std::string condition_fault(std::string_view text) { return fault(text, Grammar::kCondition); }
std::string update_fault(std::string_view text) { return fault(text, Grammar::kUpdate); }
std::string projection_fault(std::string_view text) { return fault(text, Grammar::kProjection); }

constexpr const char* kRedundant = "The expression has redundant parentheses;";

bool is_syntax_error(const std::string& message) { return message.starts_with("Syntax error; token: "); }

TEST(Parser, an_empty_expression_is_refused) {
  for (const Grammar grammar : {Grammar::kCondition, Grammar::kProjection, Grammar::kUpdate}) {
    EXPECT_EQ(fault("", grammar), "The expression can not be empty;");
    EXPECT_EQ(fault(" \n", grammar), "The expression can not be empty;");
  }
}

TEST(Parser, an_expression_has_at_most_4096_bytes) {
  const std::string longest = std::string(4096 - 6, ' ') + "a = :v";
  EXPECT_EQ(condition_fault(longest), "(none)");
  EXPECT_EQ(condition_fault(longest + " "),
            "Expression size has exceeded the maximum allowed size; expression size: 4097");
  EXPECT_EQ(update_fault(longest + " "), "Expression size has exceeded the maximum allowed size;");
}

TEST(Parser, a_syntax_error_names_the_token_and_its_neighbours) {
  EXPECT_EQ(update_fault("INVALID SYNTAX HERE"), "Syntax error; token: \"INVALID\", near: \"INVALID SYNTAX\"");
  EXPECT_EQ(update_fault("ADD hits : incr"), "Syntax error; token: \":\", near: \"hits : incr\"");
  EXPECT_EQ(update_fault("SET a = :a, #, b = :b"), "Syntax error; token: \"#\", near: \", #,\"");
  EXPECT_EQ(update_fault("SET #as, #context"), "Syntax error; token: \",\", near: \"#as, #context\"");
  EXPECT_EQ(condition_fault("a x b"), "Syntax error; token: \"x\", near: \"a x b\"");
  EXPECT_EQ(projection_fault("!!! INVALID !!!"), "Syntax error; token: \"!\", near: \"!!\"");
  EXPECT_EQ(condition_fault("a > 4"), "Syntax error; token: \"4\", near: \"> 4\"");
}

TEST(Parser, a_syntax_error_at_the_end_is_near_the_last_token) {
  EXPECT_EQ(condition_fault("attribute_not_exists("), "Syntax error; token: \"<EOF>\", near: \"(\"");
  EXPECT_EQ(condition_fault("foo"), "Syntax error; token: \"<EOF>\", near: \"foo\"");
  EXPECT_EQ(condition_fault("contains (themes, :theme"), "Syntax error; token: \"<EOF>\", near: \":theme\"");
  EXPECT_EQ(condition_fault("NOT (#deleted)"), "Syntax error; token: \"<EOF>\", near: \")\"");
  EXPECT_EQ(update_fault("SET #a = :a,"), "Syntax error; token: \"<EOF>\", near: \",\"");
}

TEST(Parser, malformed_conditions_are_syntax_errors) {
  for (const char* text : {"things are not gonna be ok",
                           "attribute_exists(Pi#ctures.RearView)",
                           "attribute_exists(asdf[a])",
                           "a in b, c",
                           "a > between",
                           "a in b",
                           "a in (b,c,)",
                           "a in ()",
                           "(a)between(b.(c.d))and(c)",
                           "(a)between(b.c.d)and((c)",
                           "#$.b > a",
                           "a > :things.stuff",
                           "b[:a] > a",
                           "b[#_] > a",
                           "ü > a",
                           "(a)between(b.c[4.5].#d)and(:a)",
                           "size(a).b > a",
                           "(size(a)).b > a",
                           "size(a)[0] > a",
                           "(size(a))[0] > a",
                           "a = :v AND",
                           "a = :v OR OR b = :v",
                           "(a = :v",
                           "a = :v)",
                           "a[01] = :v",
                           "_id = :v",
                           "set = :v",
                           "a AND b = :v",
                           "(a AND b = :v)",
                           "a = b = c",
                           "attribute_exists()",
                           "a.b. = :v",
                           "a[0 = :v",
                           "a..b = :v",
                           "a and = :v",
                           "(a = :v) = :v"}) {
    EXPECT_TRUE(is_syntax_error(condition_fault(text))) << text << ": " << condition_fault(text);
  }
}

TEST(Parser, malformed_updates_are_syntax_errors) {
  for (const char* text : {"whatever",
                           "set a",
                           "add a",
                           "delete a",
                           "set a=set",
                           "remove a = b",
                           "add a = b",
                           "delete a = b",
                           "delete a b",
                           "delete a if_not_exist(b)",
                           "add abort b",
                           "add a if_not_exist(b)",
                           "remove a b",
                           "set a b",
                           "set :a = b",
                           "add :a b",
                           "delete :a b",
                           "remove :a",
                           "set a = b / c",
                           "set a = b * c",
                           "set a[1] = \"eight\"",
                           "set a[1] = 1",
                           "SET a = if_not_exist(a, 100)",
                           "SET if_not_exist(a, b) = a",
                           "set (a = (b + c))",
                           "set a = (b.c).d + e",
                           "set a = (b.c)[0] + e",
                           "set a = b + c + d",
                           "set a = b,",
                           "set",
                           "set a = (b + c) + d"}) {
    EXPECT_TRUE(is_syntax_error(update_fault(text))) << text << ": " << update_fault(text);
  }
}

TEST(Parser, well_formed_texts_parse) {
  for (const char* text :
       {"a = :v", "NOT a = :v", "NOT NOT a = :v", "(a) = (:v)", "(a = :v)", "((a = :v) AND (b = :v))", "size(a) > :v",
        "(size(a)) > :v", "(attribute_exists(a))", "attribute_exists (a)", "(a.b).c = :v", "(a)[0] = :v",
        "a between :x and :y and b = :v", "a IN (:x, b, size(c))", "not(a=:v)or(b=:v)and c<>:v"}) {
    EXPECT_EQ(condition_fault(text), "(none)") << text;
  }
  for (const char* text : {"set a = (b + c)", "set a = ((b.c.d)+(e))", "set a[1] = b", "set a.b = b, c=:v remove d",
                           "SET a = if_not_exists(a, if_not_exists(c, b)) - b", "ADD a :v, b :w DELETE c :v",
                           "set a = list_append((a), (:v))"}) {
    EXPECT_EQ(update_fault(text), "(none)") << text;
  }
  EXPECT_EQ(projection_fault("a, b.c[0][1].#d ,#e"), "(none)");
}

TEST(Parser, doubled_parentheses_are_redundant) {
  for (const char* text : {"((attribute_not_exists(pk)))", "a=a and a > ((views))", "(a)between(((b.c)).d)and(c)",
                           "a > whatever((:things), ((a)))", "a=a AND ((a=a AND a=a)) AND a=a",
                           "a=a OR ((a=a OR a=a)) OR a=a", "a=a AND ((a=a AND (a=a AND a=a)))", "((a = :v)) AND"}) {
    EXPECT_EQ(condition_fault(text), kRedundant) << text;
  }
  EXPECT_EQ(update_fault("set a = ((b + c))"), kRedundant);
}

TEST(Parser, an_unknown_function_is_refused) {
  EXPECT_EQ(condition_fault("a=a and whatever((:things)) > a"), "Invalid function name; function: whatever");
  EXPECT_EQ(condition_fault("attRIbute_exIsts((views), #a)"), "Invalid function name; function: attRIbute_exIsts");
  EXPECT_EQ(update_fault("set #c = if_not_exist(:c) set c = d"), "Invalid function name; function: if_not_exist");
}

TEST(Parser, a_function_of_the_other_kind_of_expression_is_refused) {
  EXPECT_EQ(condition_fault("if_not_exists(a, b) = :v"),
            "The function is not allowed in a condition expression; function: if_not_exists");
  EXPECT_EQ(condition_fault("list_append(a, b) = :v"),
            "The function is not allowed in a condition expression; function: list_append");
  EXPECT_EQ(update_fault("SET a = size(b)"), "The function is not allowed in an update expression; function: size");
}

TEST(Parser, a_function_out_of_place_is_refused) {
  constexpr std::pair<const char*, const char*> kCases[] = {
      {"a=a and attribute_exists((views), (#a)) > b", "attribute_exists"},
      {"attribute_not_exists(things) > b", "attribute_not_exists"},
      {"attribute_type(things, :a) > b", "attribute_type"},
      {"begins_with(things, a) > b", "begins_with"},
      {"contains(:things, c) > b", "contains"},
      {"size(contains(a, b)) > a", "contains"},
      {"size(things)", "size"},
      {"NOT size(things)", "size"},
      {"a = :v AND (size(things))", "size"},
      {"a between b and attribute_exists(things)", "attribute_exists"},
      {"a in (b, attribute_exists(things))", "attribute_exists"}};
  for (const auto& [text, function] : kCases) {
    EXPECT_EQ(condition_fault(text),
              std::string("The function is not allowed to be used this way in an expression; function: ") + function);
  }
}

TEST(Parser, a_reserved_word_is_refused) {
  constexpr const char* kReserved = "Attribute name is a reserved keyword; reserved keyword: ";
  EXPECT_EQ(condition_fault("attribute_exists(views, #a)"), std::string(kReserved) + "views");
  EXPECT_EQ(condition_fault(":a < abOrT"), std::string(kReserved) + "abOrT");
  EXPECT_EQ(condition_fault("a.name = :v"), std::string(kReserved) + "name");
  EXPECT_EQ(update_fault(" set #c = :c set abOrt = true "), std::string(kReserved) + "abOrt");
  EXPECT_EQ(update_fault(" remove Absolute "), std::string(kReserved) + "Absolute");
  EXPECT_EQ(projection_fault("a, b.status"), std::string(kReserved) + "status");
}

TEST(Parser, the_leftmost_fault_of_the_text_is_reported) {
  EXPECT_EQ(condition_fault("name = :v AND nothing(a)"),
            "Attribute name is a reserved keyword; reserved keyword: name");
  EXPECT_EQ(condition_fault("nothing(a) AND name = :v"), "Invalid function name; function: nothing");
}

TEST(Parser, a_list_index_is_at_most_the_largest_int) {
  EXPECT_EQ(projection_fault("a[2147483647]"), "(none)");
  EXPECT_EQ(projection_fault("a[2147483648]"), "List index is not within the allowable range; index: [2147483648]");
  EXPECT_EQ(projection_fault("a[99999999999999999999999]"),
            "List index is not within the allowable range; index: [99999999999999999999999]");
}

TEST(Parser, a_section_is_used_once) {
  constexpr std::pair<const char*, const char*> kCases[] = {{"set a = #c set c = :d", "SET"},
                                                            {"remove #d set a = b remove e", "REMOVE"},
                                                            {"add #d :e set a = b add e :f", "ADD"},
                                                            {"delete #d :e set a = b delete #e :f", "DELETE"}};
  for (const auto& [text, section] : kCases) {
    EXPECT_EQ(update_fault(text),
              "The \"" + std::string(section) + "\" section can only be used once in an update expression;");
  }
}

TEST(Parser, deep_nesting_is_refused_rather_than_followed) {
  EXPECT_EQ(condition_fault(std::string(4090, '(') + "a = :"), "The expression is nested too deeply;");
  std::string nots;
  for (int i = 0; i < 1000; ++i) nots += "NOT ";
  EXPECT_EQ(condition_fault(nots + "a = :v"), "The expression is nested too deeply;");
  std::string sizes;
  for (int i = 0; i < 800; ++i) sizes += "size(";
  EXPECT_EQ(condition_fault(sizes), "The expression is nested too deeply;");
}

TEST(Parser, each_placeholder_is_one_slot) {
  const auto tree = parse_expression("#a = :v OR #a.b > :v OR #c < :w", Grammar::kCondition).value();
  EXPECT_EQ(tree->names.size(), 3u);
  EXPECT_EQ(tree->values.size(), 2u);
  EXPECT_EQ(tree->conditions.size(), 3u);
  EXPECT_EQ(tree->heads.size(), 2u);
  EXPECT_EQ(tree->nested_heads.size(), 1u);
}

TEST(ExpressionCache, a_text_is_parsed_once_per_grammar) {
  const auto first = cached_expression("attribute_exists(once)", Grammar::kCondition).value();
  EXPECT_EQ(cached_expression("attribute_exists(once)", Grammar::kCondition).value(), first);
  const auto path = cached_expression("once", Grammar::kProjection).value();
  EXPECT_FALSE(cached_expression("once", Grammar::kCondition).has_value());
  EXPECT_EQ(cached_expression("once", Grammar::kProjection).value(), path);
}

TEST(ExpressionCache, forgets_texts_but_not_under_those_who_hold_them) {
  const auto cached = cached_expression("attribute_exists(held)", Grammar::kCondition).value();
  const std::string padding(2000, ' ');
  for (int i = 0; i < 5000; ++i) {
    const std::string text = "attribute_exists(a" + std::to_string(i) + ")" + padding;
    ASSERT_TRUE(cached_expression(text, Grammar::kCondition).has_value());
  }
  EXPECT_NE(cached_expression("attribute_exists(held)", Grammar::kCondition).value(), cached);
  EXPECT_EQ(cached->text, "attribute_exists(held)");
}

}  // namespace
}  // namespace trestle
