// Items that are moved to another key: one, or all of a list.
#include <fmt/format.h>

#include <functional>
#include <utility>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr const char* kBoxes = R"y(design: boxes
version: 1
tables:
  t:
    key: [PK, SK]
    type: Type
    ttl: ttl
    indexes:
      GSI1: {key: [G1P, G1S], project: keys}
      GSI2: {key: [G2P, G2S], project: [n, sealed, b, id]}
types: {W: "string([a-z0-9], 1..5)"}
entities:
  Thing:
    key: ["B#{b}", "T#{id}"]
    fields: {b: W, id: W, n: int = 0, group: W optional, sealed: string(..20) secret encrypted optional, tags: "set<W>(..4) optional"}
    additional: true
    index:
      keys: {on: GSI1, key: ["K#{group}", "{id}"]}
      some: {on: GSI2, key: ["S#{group}", "{id}"]}
    each: {tags: Tag.tag}
  Tag:
    key: ["TAG#{tag}", "{id}"]
    fields: {tag: W, id: W, b: W}
  Log: {key: ["LOG#{id}", LOG], fields: {id: W}}
reads: {thing: {get: Thing}, things: {query: Thing}, tagged: {query: Tag}}
writes:
  put: {put: Thing, additional: true}
  add: {update: Thing, takes: {b: W, id: W}, add: {n: 1}, else: 404}
  move:
    takes: {b: W, id: W, to: W}
    steps:
      - {get: Thing, as: x, none: 404, consistent: true}
      - atomic: [{delete: Thing, if: present}, {put: Thing, from: $x, set: {b: $to}, if: absent, else: 409}]
  moveAll:
    takes: {b: W, to: W}
    steps:
      - {query: Thing, all: true, consistent: true, as: xs}
      - atomic: [{for: $xs, as: x, most: 9, do: [{delete: Thing, by: {b: $x.b, id: $x.id}}, {put: Thing, from: $x, set: {b: $to}, if: absent}]}]
  moveByKeys:
    takes: {group: W, to: W}
    steps:
      - {query: Thing.keys, all: true, as: xs}
      - atomic: [{for: $xs, as: x, most: 9, do: [{delete: Thing, by: {b: $x.b, id: $x.id}}, {put: Thing, from: $x, set: {b: $to}, if: absent}]}]
  moveBySome:
    takes: {group: W, to: W}
    steps:
      - {query: Thing.some, all: true, as: xs}
      - atomic: [{for: $xs, as: x, most: 9, do: [{delete: Thing, by: {b: $x.b, id: $x.id}}, {put: Thing, from: $x, set: {b: $to}, if: absent}]}]
  moveListed:
    takes: {b: W, ids: "list<W>(..5)", to: W}
    atomic: [{for: $ids, as: i, do: [{get: Thing, by: {id: $i}, as: x, none: 404, consistent: true}, {delete: Thing, by: {b: $x.b, id: $x.id}}, {put: Thing, from: $x, set: {b: $to}, if: absent}]}]
  moveFound:
    takes: {b: W, ids: "list<W>(..5)", to: W}
    steps:
      - {for: $ids, as: i, do: [{get: Thing, by: {id: $i}, as: found, consistent: true}]}
      - atomic: [{for: $found, as: x, most: 9, do: [{delete: Thing, by: {b: $x.b, id: $x.id}}, {put: Thing, from: $x, set: {b: $to}, if: absent}]}]
  copyAll:
    takes: {b: W, to: W}
    steps:
      - {query: Thing, all: true, as: xs}
      - {for: $xs, as: x, do: [{put: Thing, from: $x, set: {b: $to}, if: absent}]}
  moveLater:
    takes: {b: W, id: W, to: W}
    steps:
      - {get: Thing, as: x, none: 404, consistent: true}
      - {query: Thing, all: true, consistent: true, as: xs}
      - {put: Log, undo: [{delete: Log}]}
      - atomic: [{for: $xs, as: x, most: 9, do: [{delete: Thing, by: {b: $x.b, id: $x.id}}, {put: Thing, from: $x, set: {b: $to}, if: absent}]}]
  moveOneLater:
    takes: {b: W, id: W, to: W}
    steps:
      - {get: Thing, as: x, none: 404, consistent: true}
      - {put: Log, undo: [{delete: Log}]}
      - atomic: [{delete: Thing, if: present}, {put: Thing, from: $x, set: {b: $to}, if: absent, else: 409}]
)y";

// Runs a function once, before the next write.
class MeddlingDatabase final : public ForwardingDatabase {
 public:
  using ForwardingDatabase::ForwardingDatabase;
  std::function<void()> once;

 protected:
  Result<void> before(bool writes, const PutItemRequest* /*put*/, Call& /*call*/) override {
    if (writes && once) std::exchange(once, nullptr)();
    return {};
  }
};

struct Boxes {
  Boxes() {
    world.ok("put", R"({"b":"a","id":"1","group":"g","n":1,"sealed":"s1","extra":"e1"})");
    world.ok("put", R"({"b":"a","id":"2","group":"g","n":2,"sealed":"s2","extra":"e2"})");
    for (const char* id : {"1", "2"}) set(id, "ttl", Value::number(4'000'000'000));
  }
  void set(const std::string& id, const std::string& attribute, const Value& value) {
    UpdateItemRequest request{.table_name = "t",
                              .key = Item({{"PK", Value::string("B#a")}, {"SK", Value::string("T#" + id)}})};
    request.update_expression = "SET #a = :v";
    request.placeholders.names = NameMap{{"#a", attribute}};
    request.placeholders.values = ValueMap{{":v", value}};
    EXPECT_TRUE(world.engine->update_item(request).has_value());
  }
  std::string at(const std::string& b, const std::string& id, const std::string& name) {
    return world.attribute("t", "B#" + b, "T#" + id, name);
  }
  DesignWorld world{kBoxes};
};

struct MovedItems : testing::TestWithParam<std::pair<const char*, const char*>>, Boxes {};
struct MovedBoxes : testing::Test, Boxes {};

TEST_P(MovedItems, each_keeps_all_its_attributes) {
  world.ok(GetParam().first, GetParam().second);
  for (const char* id : {"1", "2"}) {
    EXPECT_EQ(at("a", id, "n"), "");
    EXPECT_EQ(at("z", id, "n"), id);
    EXPECT_EQ(at("z", id, "extra"), std::string("e") + id);
    EXPECT_EQ(at("z", id, "ttl"), "4000000000");
    EXPECT_NE(at("z", id, "sealed"), "");
  }
  EXPECT_EQ(fmt::format("{}", fmt::join(world.faults(), "\n")), "");
}

TEST_P(MovedItems, a_write_between_the_read_and_the_move_is_not_lost) {
  MeddlingDatabase meddling(*world.engine);
  auto slow = world.open(meddling);
  meddling.once = [&] {
    world.ok("add", R"({"b":"a","id":"1"})");
    set("2", "extra", Value::string("changed"));
  };
  const Reply moved = world.call(GetParam().first, GetParam().second, {}, {}, slow.get());
  ASSERT_EQ(moved.status, 200) << moved.message;
  EXPECT_EQ(at("z", "1", "n"), "2");
  EXPECT_EQ(at("z", "2", "extra"), "changed");
  EXPECT_EQ(fmt::format("{}", fmt::join(world.faults(), "\n")), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, MovedItems,
                         testing::Values(std::pair{"moveAll", R"({"b":"a","to":"z"})"},
                                         std::pair{"moveByKeys", R"({"group":"g","to":"z"})"},
                                         std::pair{"moveBySome", R"({"group":"g","to":"z"})"},
                                         std::pair{"moveListed", R"({"b":"a","ids":["1","2"],"to":"z"})"},
                                         std::pair{"moveFound", R"({"b":"a","ids":["1","2"],"to":"z"})"}),
                         [](const auto& way) { return std::string(way.param.first); });

TEST_F(MovedBoxes, copies_of_a_list_keep_all_attributes) {
  world.ok("copyAll", R"({"b":"a","to":"z"})");
  EXPECT_EQ(at("z", "1", "extra"), "e1");
  EXPECT_EQ(at("z", "2", "extra"), "e2");
  EXPECT_NE(at("z", "2", "sealed"), "");
}

// The stored items are not part of the call's record, so they are read again.
TEST(MovedLater, a_resumed_call_moves_all_attributes) {
  for (const char* move : {"moveOneLater", "moveLater"}) {
    Boxes fresh_items;
    DesignWorld& fresh = fresh_items.world;
    DyingDatabase dying(*fresh.engine);
    auto doomed = fresh.open(dying);
    dying.left = 1;
    CallContext context;
    context.idempotency_key = "k";
    fresh.call(move, R"({"b":"a","id":"1","to":"z"})", context, {}, doomed.get());
    fresh.clock.advance_ms(11'000);
    fresh.ok(move, R"({"b":"a","id":"1","to":"z"})", context);
    EXPECT_EQ(fresh_items.at("z", "1", "extra"), "e1") << move;
    EXPECT_EQ(fresh_items.at("z", "1", "ttl"), "4000000000") << move;
  }
}

TEST(MovedLater, a_resumed_call_does_not_move_an_item_that_has_changed) {
  for (const char* move : {"moveOneLater", "moveLater"}) {
    Boxes fresh_items;
    DesignWorld& fresh = fresh_items.world;
    DyingDatabase dying(*fresh.engine);
    auto doomed = fresh.open(dying);
    dying.left = 1;
    CallContext context;
    context.idempotency_key = "k";
    fresh.call(move, R"({"b":"a","id":"1","to":"z"})", context, {}, doomed.get());
    fresh.ok("add", R"({"b":"a","id":"1"})");
    fresh.clock.advance_ms(11'000);
    fresh.refused(409, move, R"({"b":"a","id":"1","to":"z"})", context);
    EXPECT_EQ(fresh_items.at("a", "1", "n"), "2") << move;
    EXPECT_EQ(fresh_items.at("a", "1", "extra"), "e1") << move;
  }
}

// A child whose key does not change is handed over.
TEST_F(MovedBoxes, children_move_with_their_owner) {
  world.ok("put", R"({"b":"a","id":"3","tags":["p","q"]})");
  world.ok("move", R"({"b":"a","id":"3","to":"z"})");
  EXPECT_EQ(world.attribute("t", "TAG#p", "3", "b"), "z");
  EXPECT_EQ(fmt::format("{}", fmt::join(world.faults(), "\n")), "");
  world.ok("put", R"({"b":"a","id":"1","tags":["p","r"]})");
  world.ok("moveAll", R"({"b":"a","to":"y"})");
  EXPECT_EQ(world.attribute("t", "TAG#r", "1", "b"), "y");
  EXPECT_EQ(fmt::format("{}", fmt::join(world.faults(), "\n")), "");
}

}  // namespace
}  // namespace trestle::runtime
