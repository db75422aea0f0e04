// Several writes of one transaction to one item.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr const char* kJoinedStock = R"y(design: stock
version: 1
tables: {t: {key: [PK, SK], type: Type, stream: new-and-old}}
types: {W: "string([a-z], 1..5)"}
entities:
  V:
    key: ["V#{k}", V]
    fields: {k: W, stock: "int(-9..99) = 5", sold: int = 0, n: counter, tags: "set<W>(..4) optional", m: "map<int(0..9)>(..3) optional", log: "list<int> optional"}
reads: {v: {get: V}}
writes:
  make: {put: V}
  rows:
    takes: {k: W, ns: "list<int>(..8)"}
    atomic: [{for: $ns, as: i, do: [{upsert: V, by: {k: $k}, add: {stock: $i, n: $i}}]}]
  two:
    takes: {a: W, b: W, x: int, y: int}
    atomic:
      - {update: V, by: {k: $a}, add: {stock: $x, n: $x}, else: 404}
      - {upsert: V, by: {k: $b}, add: {stock: $y, n: $y}}
  counts:
    takes: {k: W, x: int}
    atomic:
      - {upsert: V, by: {k: $k}, add: {n: $x}}
      - {upsert: V, by: {k: $k}, add: {stock: $x}}
  raws:
    takes: {k: W, ns: "list<int>(..8)", one: int = 1, zero: int = 0}
    atomic: [{for: $ns, as: i, do: [{update: V, by: {k: $k}, raw: "SET #sold = #sold - :one"}]}]
  rawInitial:
    takes: {k: W, ns: "list<int>(..8)", one: int = 1, zero: int = 0}
    atomic: [{for: $ns, as: i, do: [{update: V, by: {k: $k}, raw: "SET #sold = if_not_exists(#sold, :zero) + :one"}]}]
  tag:
    takes: {k: W, ts: "list<W>(..5)"}
    atomic: [{for: $ts, as: x, do: [{update: V, by: {k: $k}, add: {tags: list($x)}, else: 404}]}]
  untag:
    takes: {k: W, ts: "list<W>(..5)"}
    atomic: [{for: $ts, as: x, do: [{update: V, by: {k: $k}, take: {tags: list($x)}, else: 404}]}]
  checked:
    takes: {ks: "list<W>(..4)", k: W}
    atomic:
      - {for: $ks, as: x, do: [{update: V, by: {k: $x}, add: {stock: 1}}]}
      - {check: V, by: {k: $k}, if: stock < 7, else: {status: 409, message: full}}
  mix:
    takes: {k: W, a: W, b: W, x: int(0..9), y: int(0..9), times: int(1..9)}
    steps: [{update: V, add: {"m[$a]": $x * $times}, set: {"m[$b]": $y}, else: 404}]
)y";

struct JoinedWrites : testing::Test {
  std::string field(const char* name, const char* k = "a") {
    return world.ok("v", fmt::format(R"({{"k":"{}"}})", k))["item"].member(name).string();
  }
  std::string json(const char* name) { return plain_json(world.ok("v", R"({"k":"a"})")["item"].member(name)); }
  DesignWorld world{kJoinedStock};
};

TEST_F(JoinedWrites, amounts_with_an_initial_value_are_summed) {
  world.ok("rows", R"({"k":"a","ns":[2,3]})");
  EXPECT_EQ(field("stock"), "10");
  EXPECT_EQ(field("n"), "5");
  world.ok("rows", R"({"k":"a","ns":[1,1]})");
  EXPECT_EQ(field("stock"), "12");
  world.ok("two", R"({"a":"a","b":"a","x":10,"y":20})");
  EXPECT_EQ(field("stock"), "42");
  EXPECT_EQ(field("n"), "37");
  world.ok("counts", R"({"k":"b","x":2})");
  EXPECT_EQ(field("stock", "b"), "7");
  EXPECT_EQ(field("n", "b"), "2");
}

TEST_F(JoinedWrites, the_range_applies_to_the_sum_from_the_initial_value) {
  world.refused(409, "rows", R"({"k":"a","ns":[50,45]})");
  world.ok("rows", R"({"k":"a","ns":[-20,6]})");
  EXPECT_EQ(field("stock"), "-9");
  world.refused(409, "rows", R"({"k":"a","ns":[-1]})");
}

// The same amount twice is not the same as once.
TEST_F(JoinedWrites, raw_amounts_are_not_lost) {
  world.ok("make", R"({"k":"a"})");
  world.ok("raws", R"({"k":"a","ns":[1]})");
  EXPECT_EQ(field("sold"), "-1");
  for (const char* name : {"raws", "rawInitial"}) world.refused(400, name, R"({"k":"a","ns":[1,2]})");
  EXPECT_EQ(field("sold"), "-1");
}

TEST_F(JoinedWrites, members_of_a_set_are_joined) {
  world.ok("make", R"({"k":"a"})");
  world.ok("tag", R"({"k":"a","ts":["x","y","x"]})");
  EXPECT_EQ(json("tags"), R"(["x","y"])");
  world.ok("tag", R"({"k":"a","ts":["x","y","z","w"]})");
  world.refused(409, "tag", R"({"k":"a","ts":["u","v"]})");
  world.ok("untag", R"({"k":"a","ts":["x","z"]})");
  EXPECT_EQ(json("tags"), R"(["w","y"])");
}

TEST_F(JoinedWrites, additions_are_joined_with_a_check) {
  world.ok("make", R"({"k":"a"})");
  world.ok("checked", R"({"ks":["a","a"],"k":"a"})");
  EXPECT_EQ(field("stock"), "7");
  const Reply full = world.call("checked", R"({"ks":["a","a"],"k":"a"})");
  EXPECT_EQ(full.status, 409);
  EXPECT_EQ(full.message, "full");
}

TEST_F(JoinedWrites, a_member_that_is_added_to_beside_one_that_is_set_stays_in_its_range) {
  world.ok("make", R"({"k":"a"})");
  world.refused(409, "mix", R"({"k":"a","a":"p","b":"q","x":5,"y":1,"times":5})");
  world.ok("mix", R"({"k":"a","a":"p","b":"q","x":1,"y":1,"times":5})");
  EXPECT_EQ(json("m"), R"({"p":5,"q":1})");
  world.refused(409, "mix", R"({"k":"a","a":"p","b":"q","x":1,"y":1,"times":5})");
  world.refused(409, "mix", R"({"k":"a","a":"r","b":"q","x":5,"y":1,"times":5})");
}

}  // namespace
}  // namespace trestle::runtime
