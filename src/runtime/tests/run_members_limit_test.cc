// Limits of maps and sets: setting or adding members does not exceed them.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kCards = R"y(design: cards
version: 1
tables: {t: {key: [PK, SK], billing: on-demand}}
types:
  Price: {name: string, value: int}
entities:
  Card:
    table: t
    key: ["CARD#{id}", X]
    fields: {id: "string([a-z], 1..9)", prices: "map<int>(..3) optional", tags: "set<string>(..3) optional", n: int(0..5) = 0}
reads:
  card: {get: Card}
writes:
  make: {put: Card, if: absent, else: 409}
  price:
    takes: {id: Card.id, name: string, value: int optional}
    steps: [{update: Card, set: {"prices[$name]": $value}, else: 404}]
  raise:
    takes: {id: Card.id, name: string}
    steps: [{update: Card, add: {"prices[$name]": 1}, else: 404}]
  priceTwo:
    takes: {id: Card.id, one: string, other: string, value: int optional, second: int optional}
    steps: [{update: Card, set: {"prices[$one]": $value, "prices[$other]": $second}, else: 404}]
  priceAll:
    takes: {id: Card.id, prices: "list<Price>(..9)"}
    steps:
      - atomic:
          - for: $prices
            as: one
            do: [{update: Card, by: {id: $id}, set: {"prices[$one.name]": $one.value}, else: 404}]
  tag:
    takes: {id: Card.id, tags: set<string>}
    steps: [{update: Card, add: {tags: $tags}, else: 404}]
  tagOne:
    takes: {id: Card.id, tag: string}
    steps: [{update: Card, add: {tags: $tag}, else: 404}]
  untag:
    takes: {id: Card.id, tags: set<string>}
    steps: [{update: Card, take: {tags: $tags}, else: 404}]
  move:
    takes: {id: Card.id, from: string, to: string, value: int}
    steps: [{update: Card, set: {"prices[$from]": null, "prices[$to]": $value}, else: 404}]
  bump:
    takes: {id: Card.id, name: string, value: int}
    steps: [{update: Card, set: {"prices[$name]": $value}, add: {n: 3}, else: 404}]
)y";

class MemberLimits : public testing::Test {
 protected:
  MemberLimits() { world.ok("make", R"({"id":"a"})"); }
  std::string after(const std::string& operation, const std::string& inputs, std::string_view field = "prices") {
    world.ok(operation, R"({"id":"a",)" + inputs + "}");
    return plain_json(world.ok("card", R"({"id":"a"})")["item"].member(field));
  }
  std::string refusal(const std::string& operation, const std::string& inputs) {
    const Reply reply = world.call(operation, R"({"id":"a",)" + inputs + "}");
    return fmt::format("{} {}", reply.status, reply.message);
  }
  DesignWorld world{std::string(kCards)};
};

constexpr std::string_view kFullPrices = "409 `prices` of Card must have at most 3 members.";
constexpr std::string_view kFullTags = "409 `tags` of Card must have at most 3 members.";

TEST_F(MemberLimits, of_a_map_that_is_full) {
  after("price", R"("name":"x","value":1)");
  after("price", R"("name":"y","value":2)");
  EXPECT_EQ(after("raise", R"("name":"z")"), R"({"x":1,"y":2,"z":1})");
  EXPECT_EQ(refusal("price", R"("name":"w","value":4)"), kFullPrices);
  EXPECT_EQ(refusal("raise", R"("name":"w")"), kFullPrices);
  EXPECT_EQ(after("price", R"("name":"y","value":5)"), R"({"x":1,"y":5,"z":1})");
  EXPECT_EQ(after("raise", R"("name":"y")"), R"({"x":1,"y":6,"z":1})");
  EXPECT_EQ(after("price", R"("name":"y","value":null)"), R"({"x":1,"z":1})");
  EXPECT_EQ(after("price", R"("name":"w","value":4)"), R"({"w":4,"x":1,"z":1})");
  EXPECT_EQ(world.faults(), std::vector<std::string>{});
}

TEST_F(MemberLimits, of_a_map_by_several_members) {
  EXPECT_EQ(after("priceTwo", R"("one":"x","other":"y","value":1,"second":2)"), R"({"x":1,"y":2})");
  EXPECT_EQ(refusal("priceTwo", R"("one":"v","other":"w","value":1,"second":2)"), kFullPrices);
  EXPECT_EQ(after("priceTwo", R"("one":"y","other":"z","value":3,"second":4)"), R"({"x":1,"y":3,"z":4})");
  EXPECT_EQ(after("priceTwo", R"("one":"x","other":"y","value":5,"second":6)"), R"({"x":5,"y":6,"z":4})");
  EXPECT_EQ(after("priceTwo", R"("one":"x","other":"w","value":null,"second":7)"), R"({"w":7,"y":6,"z":4})");
  EXPECT_EQ(refusal("priceTwo", R"("one":"v","other":"w","value":1,"second":2)"), kFullPrices);
}

TEST_F(MemberLimits, of_a_map_whose_member_is_renamed) {
  after("priceTwo", R"("one":"x","other":"y","value":1,"second":2)");
  EXPECT_EQ(after("move", R"("from":"none","to":"z","value":3)"), R"({"x":1,"y":2,"z":3})");
  EXPECT_EQ(after("move", R"("from":"x","to":"w","value":4)"), R"({"w":4,"y":2,"z":3})");
  EXPECT_EQ(refusal("move", R"("from":"none","to":"v","value":5)"), kFullPrices);
  EXPECT_EQ(after("move", R"("from":"none","to":"w","value":5)"), R"({"w":5,"y":2,"z":3})");
}

TEST_F(MemberLimits, of_a_map_by_a_loop) {
  const std::string four =
      R"("prices":[{"name":"a","value":1},{"name":"b","value":2},{"name":"c","value":3},{"name":"d","value":4}])";
  EXPECT_EQ(refusal("priceAll", four), kFullPrices);
  EXPECT_EQ(after("priceAll", R"("prices":[{"name":"a","value":1},{"name":"b","value":2},{"name":"c","value":3}])"),
            R"({"a":1,"b":2,"c":3})");
  EXPECT_EQ(refusal("priceAll", four), kFullPrices);
  EXPECT_EQ(after("priceAll", R"("prices":[{"name":"a","value":4},{"name":"b","value":5},{"name":"c","value":6}])"),
            R"({"a":4,"b":5,"c":6})");
}

TEST_F(MemberLimits, of_a_set_that_is_added_to) {
  EXPECT_EQ(after("tag", R"("tags":["x","y"])", "tags"), R"(["x","y"])");
  EXPECT_EQ(refusal("tag", R"("tags":["v","w"])"), kFullTags);
  EXPECT_EQ(after("tag", R"("tags":["y","z"])", "tags"), R"(["x","y","z"])");
  EXPECT_EQ(after("tag", R"("tags":["x","y","z"])", "tags"), R"(["x","y","z"])");
  EXPECT_EQ(after("tagOne", R"("tag":"x")", "tags"), R"(["x","y","z"])");
  EXPECT_EQ(refusal("tagOne", R"("tag":"w")"), kFullTags);
  EXPECT_EQ(after("untag", R"("tags":["x"])", "tags"), R"(["y","z"])");
  EXPECT_EQ(after("tagOne", R"("tag":"w")", "tags"), R"(["w","y","z"])");
}

TEST_F(MemberLimits, are_named_beside_the_range_of_a_number) {
  EXPECT_EQ(after("bump", R"("name":"x","value":1)"), R"({"x":1})");
  EXPECT_EQ(refusal("bump", R"("name":"y","value":1)"), "409 `n` of Card must stay between 0 and 5.");
}

TEST_F(MemberLimits, are_verified) {
  UpdateItemRequest damage{.table_name = "t",
                           .key = Item({{"PK", Value::string("CARD#a")}, {"SK", Value::string("X")}})};
  damage.update_expression = "SET tags = :v";
  damage.placeholders.values =
      ValueMap{{":v", *to_value(Plain::set({Plain::text("a"), Plain::text("b"), Plain::text("c"), Plain::text("d")}),
                                ValueType::kStringSet)}};
  ASSERT_TRUE(world.engine->update_item(damage).has_value());
  ASSERT_EQ(world.faults().size(), 1U);
  EXPECT_NE(world.faults()[0].find("`tags` has 4 members, more than 3"), std::string::npos) << world.faults()[0];
  EXPECT_EQ(after("untag", R"("tags":["a"])", "tags"), R"(["b","c","d"])");
}

}  // namespace
}  // namespace trestle::runtime
