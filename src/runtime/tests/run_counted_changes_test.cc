// Figures of tallies when the counted item changes in ways that depend on the call.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr const char* kCountedGroups = R"y(design: groups
version: 1
tables: {t: {key: [PK, SK], type: Type, indexes: {GSI1: {key: [G1P, G1S]}}}}
types: {W: "string([a-z], 1..5)"}
entities:
  G:
    key: ["G#{g}", G]
    fields: {g: W, n: counter, total: counter, best: int optional, rev: revision}
  P: {key: ["P#{p}", P], fields: {p: W, g: W optional}}
  E:
    key: ["E#{k}", E]
    fields: {k: W, g: W optional, points: "int(0..999) = 5", note: W optional}
    index: {byG: {on: GSI1, key: ["EG#{g}", "{points:03}{k}"]}}
tallies: {t: {of: E, into: G, by: {g: g}, add: {n: 1, total: points}, max: {best: points}}}
reads: {g: {get: G}, e: {get: E}, byG: {query: E.byG}}
writes:
  put: {put: E}
  putP: {put: P}
  edit: {update: E, else: 404}
  merge: {upsert: E}
  choose:
    takes: {k: W, x: int}
    steps: [{update: E, set: {g: "choose(if($x = 1, 'none', 'some'), 'some', 'ok')"}, else: 404}]
  lets:
    takes: {k: W, p: W optional}
    steps: [{let: {v: $p}}, {update: E, set: {g: $v}, else: 404}]
  coalesced:
    takes: {k: W, p: W optional}
    steps: [{update: E, set: {g: "coalesce($p, $p)"}, else: 404}]
  assign:
    takes: {k: W, p: W}
    steps: [{get: P, as: o, none: 404}, {update: E, set: {g: $o.g}, else: 404}]
  assignAll:
    takes: {ks: "list<W>(..4)", p: W}
    steps:
      - {get: P, as: o, none: 404}
      - atomic: [{for: $ks, as: k, do: [{update: E, by: {k: $k}, set: {g: $o.g}, else: 404}]}]
  assignUpsert:
    takes: {k: W, p: W}
    steps: [{get: P, as: o, none: 404}, {upsert: E, set: {g: $o.g}}]
  addTo:
    upsert: E
    takes: {k: W, g: W, x: int(1..9)}
    set: {g: $g}
    add: {points: $x}
)y";

struct CountedChanges : testing::Test {
  std::string g(const char* name) { return plain_json(world.ok("g", R"({"g":"x"})")["item"].member(name)); }
  std::string faults() { return fmt::format("{}", fmt::join(world.faults(), "\n")); }
  DesignWorld world{kCountedGroups};
};

TEST_F(CountedChanges, an_item_whose_computed_group_is_absent_no_longer_counts) {
  world.ok("putP", R"({"p":"f"})");
  for (const auto& [name, inputs] :
       {std::pair{"choose", R"({"k":"a","x":1})"}, std::pair{"lets", R"({"k":"a"})"},
        std::pair{"coalesced", R"({"k":"a"})"}, std::pair{"assign", R"({"k":"a","p":"f"})"},
        std::pair{"assignAll", R"({"ks":["a"],"p":"f"})"}, std::pair{"assignUpsert", R"({"k":"a","p":"f"})"}}) {
    world.ok("put", R"({"k":"a","g":"x","points":7})");
    EXPECT_EQ(g("n"), "1") << name;
    world.ok(name, inputs);
    EXPECT_EQ(g("n"), "0") << name;
    EXPECT_EQ(g("total"), "0") << name;
    EXPECT_EQ(g("best"), "null") << name;
    EXPECT_EQ(faults(), "") << name;
  }
}

TEST_F(CountedChanges, an_upsert_adds_to_the_default_of_a_counted_and_indexed_field) {
  world.ok("addTo", R"({"k":"a","g":"x","x":2})");
  EXPECT_EQ(g("total"), "7");
  EXPECT_EQ(faults(), "");
  world.ok("addTo", R"({"k":"a","g":"x","x":3})");
  EXPECT_EQ(g("total"), "10");
  EXPECT_EQ(faults(), "");
}

TEST_F(CountedChanges, a_write_without_a_difference_leaves_the_target_unchanged) {
  world.ok("put", R"({"k":"a","g":"x","points":7})");
  EXPECT_EQ(g("rev"), "1");
  world.ok("put", R"({"k":"a","g":"x","points":7,"note":"q"})");
  world.ok("merge", R"({"k":"a","g":"x","points":7})");
  world.ok("edit", R"({"k":"a","points":7})");
  EXPECT_EQ(g("rev"), "1");
  world.ok("edit", R"({"k":"a","points":8})");
  EXPECT_EQ(g("rev"), "2");
  EXPECT_EQ(g("best"), "8");
  EXPECT_EQ(faults(), "");
}

// A tally writes no guard, so it does not create an item that has one.
TEST(CountedTargets, a_target_with_a_guard_is_not_created) {
  DesignWorld world{R"y(design: named
version: 1
tables: {t: {key: [PK, SK], type: Type}}
types: {W: "string([a-z], 1..5)"}
entities:
  G:
    key: ["G#{g}", G]
    fields: {g: W, n: counter, name: W = 'new', nick: W optional}
    unique: {name: "GN#{g}#{name}"}
  H:
    key: ["H#{g}", H]
    fields: {g: W, n: counter, nick: W optional}
    unique: {nick: "HN#{nick}"}
  E: {key: ["E#{k}", E], fields: {k: W, g: W}}
  F: {key: ["F#{k}", F], fields: {k: W, g: W}}
tallies:
  t: {of: E, into: G, by: {g: g}, add: {n: 1}}
  u: {of: F, into: H, by: {g: g}, add: {n: 1}}
reads: {e: {get: E}, g: {get: G}, h: {get: H}}
writes: {put: {put: E}, putF: {put: F}, make: {put: G, if: absent}}
)y"};
  world.refused(404, "put", R"({"k":"a","g":"x"})");
  world.ok("make", R"({"g":"x"})");
  world.ok("put", R"({"k":"a","g":"x"})");
  world.ok("putF", R"({"k":"a","g":"x"})");
  EXPECT_EQ(fmt::format("{}", fmt::join(world.faults(), "\n")), "");
}

}  // namespace
}  // namespace trestle::runtime
