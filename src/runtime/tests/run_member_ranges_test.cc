// Members of maps keep the type and range of the map's members, and maps and sets keep their least number of members.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kMarks = R"y(design: marks
version: 1
tables: {t: {key: [PK, SK], billing: on-demand}}
types:
  Change: {name: "string([a-z], 1..3)", by: int}
entities:
  Card:
    key: ["CARD#{id}", X]
    fields:
      id: "string([a-z], 1..5)"
      m: "map<int(0..10)>(..4) optional"
      r: "map<int(0..10)>(2..4)"
      o: "map<int(0..10)>(1..4) optional"
      s: "set<string([a-z], 1..3)>(1..3)"
      t: "set<string([a-z], 1..3)>(2..3) optional"
reads:
  card: {get: Card}
writes:
  make: {put: Card, if: absent, else: 409}
  add: {update: Card, takes: {id: Card.id, k: "string([a-z], 1..3)", by: number}, add: {"m[$k]": $by}, else: 404}
  addTwo:
    takes: {id: Card.id, k: "string([a-z], 1..3)", l: "string([a-z], 1..3)", by: int, more: int}
    steps: [{update: Card, add: {"m[$k]": $by, "m[$l]": $more}, else: 404}]
  addAll:
    takes: {id: Card.id, changes: "list<Change>(..9)"}
    steps:
      - atomic:
          - for: $changes
            as: one
            do: [{update: Card, by: {id: $id}, add: {"m[$one.name]": $one.by}, else: 404}]
  spend:
    takes: {id: Card.id, k: "string([a-z], 1..3)"}
    steps: [{update: Card, add: {"m[$k]": -1}, if: size(m) < 9, else: {status: 422, message: No more.}}]
  set: {update: Card, takes: {id: Card.id, k: "string([a-z], 1..3)", by: int}, set: {"m[$k]": $by}, else: 404}
  setTwice: {update: Card, takes: {id: Card.id, k: "string([a-z], 1..3)", by: int}, set: {"m[$k]": $by * 2}, else: 404}
  setr: {update: Card, takes: {id: Card.id, k: "string([a-z], 1..3)", v: int optional}, set: {"r[$k]": $v}, else: 404}
  dropr: {update: Card, takes: {id: Card.id, k: "string([a-z], 1..3)"}, set: {"r[$k]": null}, else: 404}
  mover: {update: Card, takes: {id: Card.id, k: "string([a-z], 1..3)", l: "string([a-z], 1..3)"}, set: {"r[$k]": null, "r[$l]": 1}, else: 404}
  dropTwo: {update: Card, takes: {id: Card.id, k: "string([a-z], 1..3)", l: "string([a-z], 1..3)"}, set: {"r[$k]": null, "r[$l]": null}, else: 404}
  seto: {update: Card, takes: {id: Card.id, k: "string([a-z], 1..3)", v: int optional}, set: {"o[$k]": $v}, else: 404}
  takes: {update: Card, takes: {id: Card.id, gone: "set<string([a-z], 1..3)>(1..3)"}, take: {s: $gone}, else: 404}
  taket: {update: Card, takes: {id: Card.id, gone: "set<string([a-z], 1..3)>(1..3)"}, take: {t: $gone}, else: 404}
)y";

class MemberRanges : public testing::Test {
 protected:
  MemberRanges() { world.ok("make", R"({"id":"a","r":{"x":1,"y":2,"z":3},"s":["x","y"],"t":["x","y","z"]})"); }
  std::string after(const std::string& operation, const std::string& inputs, std::string_view field) {
    world.ok(operation, R"({"id":"a",)" + inputs + "}");
    return plain_json(world.ok("card", R"({"id":"a"})")["item"].member(field));
  }
  std::string refusal(const std::string& operation, const std::string& inputs) {
    const Reply reply = world.call(operation, R"({"id":"a",)" + inputs + "}");
    return fmt::format("{} {}", reply.status, reply.message);
  }
  DesignWorld world{std::string(kMarks)};
};

constexpr std::string_view kRange = "409 A member of `m` of Card must stay between 0 and 10.";

TEST_F(MemberRanges, of_a_member_that_is_added_to) {
  EXPECT_EQ(refusal("add", R"("k":"x","by":11)"), kRange);
  EXPECT_EQ(refusal("add", R"("k":"x","by":-1)"), kRange);
  EXPECT_EQ(refusal("spend", R"("k":"x")").substr(0, 4), "422 ");
  EXPECT_EQ(after("add", R"("k":"x","by":10)", "m"), R"({"x":10})");
  EXPECT_EQ(refusal("add", R"("k":"x","by":1)"), kRange);
  EXPECT_EQ(refusal("add", R"("k":"y","by":-1)"), kRange);
  EXPECT_EQ(after("add", R"("k":"x","by":-10)", "m"), R"({"x":0})");
  EXPECT_EQ(refusal("add", R"("k":"x","by":0.5)").substr(0, 4), "400 ");
  EXPECT_EQ(world.faults(), std::vector<std::string>{});
}

// Amounts for one member are summed, and the sum must fit.
TEST_F(MemberRanges, of_a_member_that_is_added_to_twice) {
  EXPECT_EQ(after("addTwo", R"("k":"x","l":"x","by":6,"more":4)", "m"), R"({"x":10})");
  EXPECT_EQ(refusal("addTwo", R"("k":"x","l":"x","by":6,"more":-5)"), kRange);
  EXPECT_EQ(after("addTwo", R"("k":"x","l":"x","by":6,"more":-7)", "m"), R"({"x":9})");
  EXPECT_EQ(refusal("addTwo", R"("k":"x","l":"y","by":1,"more":11)"), kRange);
  EXPECT_EQ(after("addTwo", R"("k":"x","l":"y","by":1,"more":3)", "m"), R"({"x":10,"y":3})");
  EXPECT_EQ(refusal("addAll", R"("changes":[{"name":"x","by":-1},{"name":"y","by":8}])"), kRange);
  EXPECT_EQ(after("addAll", R"("changes":[{"name":"y","by":8},{"name":"x","by":-1},{"name":"y","by":-2}])", "m"),
            R"({"x":9,"y":9})");
}

TEST_F(MemberRanges, of_a_member_that_is_set) {
  EXPECT_EQ(refusal("set", R"("k":"x","by":11)").substr(0, 4), "400 ");
  EXPECT_EQ(refusal("setTwice", R"("k":"x","by":6)"), "409 `m` of Card would leave its range.");
  EXPECT_EQ(after("setTwice", R"("k":"x","by":5)", "m"), R"({"x":10})");
  EXPECT_EQ(after("set", R"("k":"x","by":0)", "m"), R"({"x":0})");
}

TEST_F(MemberRanges, are_verified) {
  UpdateItemRequest damage{.table_name = "t",
                           .key = Item({{"PK", Value::string("CARD#a")}, {"SK", Value::string("X")}})};
  damage.update_expression = "SET m = :v, r = :r";
  damage.placeholders.values = ValueMap{{":v", *to_value(Plain::map({{"x", Plain::number(11)}}), ValueType::kMap)},
                                        {":r", *to_value(Plain::map({{"x", Plain::number(1)}}), ValueType::kMap)}};
  ASSERT_TRUE(world.engine->update_item(damage).has_value());
  const auto faults = world.faults();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(faults[0].find("`m.x` is 11, out of its range"), std::string::npos) << faults[0];
  EXPECT_NE(faults[0].find("`r` has 1 members, fewer than 2"), std::string::npos) << faults[0];
}

constexpr std::string_view kFewest = "409 `r` of Card must have between 2 and 4 members.";

TEST_F(MemberRanges, null_removes_a_member_of_a_required_map) {
  EXPECT_EQ(after("setr", R"("k":"x","v":null)", "r"), R"({"y":2,"z":3})");
  EXPECT_EQ(after("setr", R"("k":"x","v":null)", "r"), R"({"y":2,"z":3})");
  EXPECT_EQ(refusal("setr", R"("k":"y","v":null)"), kFewest);
  EXPECT_EQ(refusal("dropr", R"("k":"y")"), kFewest);
  EXPECT_EQ(after("mover", R"("k":"y","l":"w")", "r"), R"({"w":1,"z":3})");
  EXPECT_EQ(refusal("mover", R"("k":"w","l":"z")"), kFewest);
  EXPECT_EQ(after("setr", R"("k":"v","v":7)", "r"), R"({"v":7,"w":1,"z":3})");
  EXPECT_EQ(refusal("dropTwo", R"("k":"v","l":"w")"), kFewest);
  EXPECT_EQ(after("dropTwo", R"("k":"v","l":"no")", "r"), R"({"w":1,"z":3})");
  EXPECT_EQ(world.faults(), std::vector<std::string>{});
}

TEST_F(MemberRanges, the_last_member_of_an_optional_map_with_a_least_number) {
  EXPECT_EQ(after("seto", R"("k":"x","v":null)", "o"), "null");
  EXPECT_EQ(after("seto", R"("k":"x","v":1)", "o"), R"({"x":1})");
  EXPECT_EQ(refusal("seto", R"("k":"x","v":null)"), "409 `o` of Card must have between 1 and 4 members.");
}

TEST_F(MemberRanges, members_taken_from_a_set) {
  EXPECT_EQ(refusal("takes", R"("gone":["x","y"])"), "409 `s` of Card must have between 1 and 3 members.");
  EXPECT_EQ(after("takes", R"("gone":["x","w"])", "s"), R"(["y"])");
  EXPECT_EQ(after("takes", R"("gone":["x","w"])", "s"), R"(["y"])");
  EXPECT_EQ(refusal("takes", R"("gone":["y"])"), "409 `s` of Card must have between 1 and 3 members.");
  EXPECT_EQ(refusal("taket", R"("gone":["x","y"])"), "409 `t` of Card must have between 2 and 3 members.");
  // An optional set may go as a whole.
  EXPECT_EQ(after("taket", R"("gone":["x","y","z"])", "t"), "null");
  EXPECT_EQ(world.faults(), std::vector<std::string>{});
}

}  // namespace
}  // namespace trestle::runtime
