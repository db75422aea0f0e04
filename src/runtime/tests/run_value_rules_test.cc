// One rule for a value, whichever way an operation writes it: amounts of counters, sizes of computed collections, null.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kRules = R"y(design: rules
version: 1
tables: {t: {key: [PK, SK], type: Type, ttl: ttl}}
types: {Name: "string([a-z], 1..5)"}
entities:
  Bill:
    key: ["A#{id}", A]
    fields: {id: Name, total: money = 10, paid: counter, parts: counter, state: "enum(x, y) = x", log: "list<Name>(..2) optional"}
  Part:
    key: ["A#{id}", "B#{part:03}"]
    fields: {id: Name, part: int(1..99), amount: money}
  Tagged:
    key: ["T#{id}", A]
    fields: {id: Name, tags: "set<Name>(..3) optional", l: "list<Name>(..3) optional"}
    each: {tags: Tag.tag, l: Entry.entry}
  Tag: {key: ["T#{id}", "T#{tag}"], fields: {id: Name, tag: Name}}
  Entry: {key: ["T#{id}", "E#{entry}"], fields: {id: Name, entry: Name}}
reads: {bill: {get: Bill}, tagged: {get: Tagged}}
writes:
  make: {put: Bill}
  pay: {update: Bill, takes: {id: Name, amount: money}, add: {paid: $amount}, if: "paid + $amount <= total", else: 409}
  payPart: {update: Bill, takes: {id: Name, amount: money}, add: {paid: $amount, parts: 1}, if: "paid + $amount <= total", else: 409}
  payIn:
    takes: {id: Name, amount: money}
    steps:
      - {get: Bill, as: o, none: 404}
      - atomic:
          - {update: Bill, add: {paid: $amount}, if: "paid + $amount <= total AND parts = $o.parts", else: 409}
          - {put: Part, set: {part: "$o.parts + 1"}, if: absent, else: 409}
  note: {update: Bill, takes: {id: Name, what: Name}, set: {log: "append(log, $what)"}, else: 404}
  state: {update: Bill, takes: {id: Name, state: Bill.state optional}, set: {state: "coalesce($state, state)"}, else: 404}
  plainState: {update: Bill, takes: {id: Name, state: Bill.state optional}, else: 404}
  tag: {put: Tagged}
  more: {update: Tagged, takes: {id: Name, more: "set<Name>(1..3)"}, add: {tags: $more}, else: 404}
  enter: {update: Tagged, takes: {id: Name, one: Name}, set: {l: "append(l, $one)"}, else: 404}
)y";

TEST(ValueRules, a_counter_takes_any_amount) {
  DesignWorld world{std::string(kRules)};
  world.ok("make", R"({"id":"a"})");
  world.ok("pay", R"({"id":"a","amount":0.5})");
  world.ok("payPart", R"({"id":"a","amount":0.25})");
  world.ok("payIn", R"({"id":"a","amount":0.25})");
  const Reply bill = world.ok("bill", R"({"id":"a"})");
  EXPECT_EQ(bill["item"].member("paid").string(), "1");
  EXPECT_EQ(bill["item"].member("parts").string(), "1");
  EXPECT_EQ(world.faults(), std::vector<std::string>{});
}

TEST(ValueRules, a_computed_collection_beyond_its_limit_is_a_conflict) {
  DesignWorld world{std::string(kRules)};
  world.ok("tag", R"({"id":"a","tags":["x","y"],"l":["x","y","z"]})");
  world.refused(400, "tag", R"({"id":"b","tags":["w","x","y","z"]})");
  const Reply full = world.call("more", R"({"id":"a","more":["v","w"]})");
  EXPECT_EQ(full.status, 409);
  EXPECT_EQ(full.message, "`tags` of Tagged must have at most 3 members.");
  world.ok("more", R"({"id":"a","more":["x","w"]})");
  world.refused(409, "enter", R"({"id":"a","one":"w"})");
  world.ok("make", R"({"id":"a"})");
  for (const char* what : {"x", "y"}) world.ok("note", fmt::format(R"({{"id":"a","what":"{}"}})", what));
  world.refused(409, "note", R"({"id":"a","what":"z"})");
  EXPECT_EQ(world.faults(), std::vector<std::string>{});
}

TEST(ValueRules, null_is_accepted_for_a_field_that_the_write_computes) {
  DesignWorld world{std::string(kRules)};
  world.ok("make", R"({"id":"a","state":"y"})");
  world.ok("state", R"({"id":"a","state":null})");
  world.ok("state", R"({"id":"a"})");
  EXPECT_EQ(world.ok("bill", R"({"id":"a"})")["item"].member("state").string(), "y");
  world.refused(400, "plainState", R"({"id":"a","state":null})");
}

constexpr std::string_view kMovedDocs = R"y(design: docs
version: 1
tables: {t: {key: [PK, SK], type: Type, ttl: ttl}}
types: {Name: "string([a-z], 1..9)"}
entities:
  Doc:
    key: ["SPACE#{space}", "DOC#{path}"]
    fields: {space: Name, path: Name, groups: "set<string([a-z], 1..5)>(..3) optional", expires: epoch optional}
    each: {groups: Share.group}
    ttl: expires
  Share:
    key: ["SPACE#{space}", "SHARE#{group}#{path}"]
    fields: {space: Name, path: Name, group: "string([a-z], 1..5)", expires: epoch optional}
    ttl: expires
reads: {docs: {query: Doc}, shares: {query: Share, by: [space, group]}}
writes:
  create: {put: Doc}
  move:
    takes: {space: Name, to: Name}
    steps:
      - {query: Doc, by: [space], all: true, as: ds}
      - atomic:
          - for: $ds
            as: d
            most: 6
            do:
              - {delete: Doc, by: {space: $space, path: $d.path}, if: present, else: 409}
              - {put: Doc, from: $d, set: {space: $to}, if: absent, else: 409}
  replace:
    takes: {space: Name, to: Name}
    steps:
      - {query: Doc, by: [space], all: true, as: ds}
      - atomic:
          - for: $ds
            as: d
            most: 6
            do:
              - {delete: Doc, by: {space: $space, path: $d.path}, if: present, else: 409}
              - {put: Doc, from: $d, set: {space: $to}}
)y";

TEST(ValueRules, a_loop_moves_items_over_targets_with_children) {
  DesignWorld world{std::string(kMovedDocs)};
  const int64_t soon = kTestNowMs / 1000 + 60;
  world.ok("create", fmt::format(R"({{"space":"b","path":"p","groups":["x"],"expires":{}}})", soon));
  world.ok("create", R"({"space":"a","path":"p","groups":["y"]})");
  world.ok("create", R"({"space":"a","path":"q","groups":["z"]})");
  world.refused(409, "move", R"({"space":"a","to":"b"})");
  world.clock.advance_ms(120'000);
  world.ok("move", R"({"space":"a","to":"b"})");
  EXPECT_EQ(world.walk("docs", R"({"space":"b"})", 10).size(), 2u);
  EXPECT_EQ(world.walk("shares", R"({"space":"b","group":"x"})", 10).size(), 0u);
  EXPECT_EQ(world.walk("shares", R"({"space":"b","group":"y"})", 10).size(), 1u);
  EXPECT_EQ(world.faults(), std::vector<std::string>{});
  world.ok("create", R"({"space":"c","path":"q","groups":["w","y"]})");
  world.ok("replace", R"({"space":"b","to":"c"})");
  EXPECT_EQ(world.walk("docs", R"({"space":"c"})", 10).size(), 2u);
  EXPECT_EQ(world.walk("shares", R"({"space":"c","group":"w"})", 10).size(), 0u);
  EXPECT_EQ(world.walk("shares", R"({"space":"c","group":"z"})", 10).size(), 1u);
  EXPECT_EQ(world.faults(), std::vector<std::string>{});
}

}  // namespace
}  // namespace trestle::runtime
