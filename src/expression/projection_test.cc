#include "expression/projection.h"

#include <gtest/gtest.h>

#include "expression/values_for_test.h"

namespace trestle {
namespace {

using namespace testing;

const Item& document() {
  static const Item item{{"a", n(1)},
                         {"b", map({{"x", n(2)}, {"y", map({{"deep", s("z")}, {"other", n(0)}})}})},
                         {"l", list({n(0), n(1), list({n(20), n(21)}), map({{"k", s("v")}, {"j", n(9)}})})},
                         {"z", s("last")}};
  return item;
}

std::string projection_message(std::string_view text, const Placeholders& placeholders = {}) {
  Binding binding = Binding::make(placeholders, true).value();
  return message_of(compile_projection(text, binding));
}

Item project(std::string_view text, const Placeholders& placeholders = {}) {
  Binding binding = Binding::make(placeholders, true).value();
  auto projection = compile_projection(text, binding);
  EXPECT_TRUE(projection.has_value()) << text << ": " << message_of(projection);
  const Item part = projection->apply(document());
  EXPECT_TRUE(is_valid_item(part.bytes())) << text;
  return part;
}

const std::string kProjectionPrefix = "Invalid ProjectionExpression: ";

TEST(Projection, takes_whole_attributes) {
  EXPECT_EQ(project("z, a"), (Item{{"a", n(1)}, {"z", s("last")}}));
  EXPECT_EQ(project("#n", placeholders_of_names({{"#n", "a"}})), (Item{{"a", n(1)}}));
}

TEST(Projection, absent_attributes_are_left_out) {
  EXPECT_EQ(project("gone"), Item(std::vector<Field>{}));
  EXPECT_EQ(project("gone, a, aa, zz"), (Item{{"a", n(1)}}));
}

TEST(Projection, takes_parts_of_maps) {
  EXPECT_EQ(project("b.y.deep"), (Item{{"b", map({{"y", map({{"deep", s("z")}})}})}}));
  EXPECT_EQ(project("b.y.deep, b.x"), (Item{{"b", map({{"x", n(2)}, {"y", map({{"deep", s("z")}})}})}}));
  EXPECT_EQ(project("b.y"), (Item{{"b", map({{"y", map({{"deep", s("z")}, {"other", n(0)}})}})}}));
}

TEST(Projection, takes_elements_of_lists_in_their_order_without_gaps) {
  EXPECT_EQ(project("l[1], l[0]"), (Item{{"l", list({n(0), n(1)})}}));
  EXPECT_EQ(project("l[3].k, l[0]"), (Item{{"l", list({n(0), map({{"k", s("v")}})})}}));
  EXPECT_EQ(project("l[2][1]"), (Item{{"l", list({list({n(21)})})}}));
  EXPECT_EQ(project("l[1], l[99]"), (Item{{"l", list({n(1)})}}));
}

TEST(Projection, a_path_that_leads_nowhere_leaves_no_trace) {
  EXPECT_EQ(project("b.gone"), Item(std::vector<Field>{}));
  EXPECT_EQ(project("b[0]"), Item(std::vector<Field>{}));
  EXPECT_EQ(project("l.x"), Item(std::vector<Field>{}));
  EXPECT_EQ(project("a.b.c"), Item(std::vector<Field>{}));
  EXPECT_EQ(project("l[0].x, l[2][9], l[3].k"), (Item{{"l", list({map({{"k", s("v")}})})}}));
}

TEST(Projection, lists_its_attributes) {
  const Placeholders nothing;
  Binding binding = Binding::make(nothing, true).value();
  const auto projection = compile_projection("l[1], a, b.x, b.y", binding);
  EXPECT_EQ(projection->attributes(), (std::vector<std::string_view>{"l", "a", "b"}));
  EXPECT_EQ(projection->nested_attributes(), (std::vector<std::string_view>{"l", "b"}));
}

TEST(Projection, undefined_names_are_refused) {
  EXPECT_EQ(
      projection_message("a, #b"),
      kProjectionPrefix + "An expression attribute name used in the document path is not defined; attribute name: #b");
}

TEST(Projection, a_path_has_up_to_32_elements) {
  std::string path = "a";
  for (int i = 1; i < 33; ++i) path += "[0]";
  EXPECT_EQ(projection_message(path),
            kProjectionPrefix + "The document path has too many nesting levels; nesting levels: 33");
}

TEST(Projection, paths_do_not_overlap) {
  const auto overlap = [](const std::string& one, const std::string& two) {
    return kProjectionPrefix +
           "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: " + one +
           ", path two: " + two;
  };
  EXPECT_EQ(projection_message("a, b, a"), overlap("[a]", "[a]"));
  EXPECT_EQ(projection_message("a, a.b"), overlap("[a]", "[a, b]"));
  EXPECT_EQ(projection_message("a.b[1].c, a.#b[1]", placeholders_of_names({{"#b", "b"}})),
            overlap("[a, b, [1], c]", "[a, b, [1]]"));
  EXPECT_EQ(projection_message("a,b,c,d,e,f,g,h,i,j.k,l,m.n,j"), overlap("[j, k]", "[j]"));
}

TEST(Projection, paths_do_not_conflict) {
  const auto conflict = [](const std::string& one, const std::string& two) {
    return kProjectionPrefix +
           "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: " + one +
           ", path two: " + two;
  };
  EXPECT_EQ(projection_message("a.b, a[1]"), conflict("[a, b]", "[a, [1]]"));
  EXPECT_EQ(projection_message("p,b,c,d,e,f,g,h,i,a[3].b,l,m.n,a.c"), conflict("[a, [3], b]", "[a, c]"));
}

TEST(Projection, many_paths_that_do_not_clash_are_fine) {
  EXPECT_EQ(projection_message("p,b.a,b.b,b.c,e[1],e[0],e[2].a,e[2].b,i,j,k"), "(no error)");
}

TEST(AttributesToGet, are_names_rather_than_paths) {
  const Item item{{"a.b", n(1)}, {"a", map({{"b", n(2)}})}, {"c", n(3)}};
  const std::vector<std::string> names = {"c", "a.b"};
  const ProjectionPaths projection = compile_attributes_to_get(names);
  EXPECT_EQ(projection.apply(item), (Item{{"a.b", n(1)}, {"c", n(3)}}));
  EXPECT_EQ(projection.attributes(), (std::vector<std::string_view>{"c", "a.b"}));
}

}  // namespace
}  // namespace trestle
