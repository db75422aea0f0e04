// Items that a step reads only sometimes, or that a later step changes, are read again for the writes that follow.
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kSkippedAccounts = R"yaml(
design: accounts
version: 1
tables: {tbl: {key: [PK, SK], type: Type, indexes: {GSI1: {key: [GPK, GSK N]}}}}
types: {Id: "string([a-z0-9], 1..12)"}
entities:
  Acc:
    key: ["ACC#{id}", ACC]
    fields: {id: Id, st: "enum(open, shut) = open", bal: int = 0, name: string(1..9) = 'x'}
    index: {open: {on: GSI1, key: ["OPEN#{st}#{name}", "{bal}"], if: st = open}}
writes:
  create: {put: Acc, if: absent, else: 409}
  sometimes:
    takes: {id: Id, x: int}
    steps:
      - {get: Acc, as: a, when: $x > 5}
      - {update: Acc, add: {bal: 1}, else: 404}
  likewise:
    takes: {id: Id, x: int}
    steps:
      - {get: Acc, as: a, when: $x > 5}
      - {update: Acc, add: {bal: 1}, when: $x > 5, else: 404}
  twice:
    takes: {id: Id, name: Acc.name}
    steps:
      - {get: Acc, as: a, none: 404}
      - {update: Acc, add: {bal: 1}, else: 404}
      - {update: Acc, set: {name: $name}, add: {bal: 1}, else: 404}
    returns: {before: $a.bal}
  each:
    takes: {ids: "list<Id>(1..4)"}
    steps:
      - {for: $ids, as: id, do: [{get: Acc, by: {id: $id}, as: a}, {update: Acc, by: {id: $id}, add: {bal: 1}, else: 404}]}
      - {update: Acc, by: {id: "$ids[0]"}, add: {bal: 1}, else: 404}
  again:
    takes: {id: Id, ids: "list<Id>(1..4)"}
    steps:
      - {get: Acc, as: a, none: 404}
      - {for: $ids, as: x, do: [{update: Acc, by: {id: $id}, add: {bal: 1}, else: 404}]}
)yaml";

TEST(SkippedReads, a_write_does_not_rely_on_a_read_that_was_skipped) {
  DesignWorld world{std::string(kSkippedAccounts)};
  world.ok("create", R"({"id":"a","bal":3})");
  world.ok("sometimes", R"({"id":"a","x":1})");
  world.ok("sometimes", R"({"id":"a","x":9})");
  world.ok("likewise", R"({"id":"a","x":1})");
  world.ok("likewise", R"({"id":"a","x":9})");
  EXPECT_EQ(world.attribute("tbl", "ACC#a", "ACC", "bal"), "6");
  EXPECT_EQ(world.faults(), std::vector<std::string>());
}

TEST(SkippedReads, a_write_does_not_rely_on_a_read_before_another_write_of_the_item) {
  DesignWorld world{std::string(kSkippedAccounts)};
  world.ok("create", R"({"id":"a","bal":3})");
  EXPECT_EQ(world.ok("twice", R"({"id":"a","name":"y"})").text("before"), "3");
  EXPECT_EQ(world.attribute("tbl", "ACC#a", "ACC", "bal"), "5");
  world.ok("each", R"({"ids":["a","a"]})");
  EXPECT_EQ(world.attribute("tbl", "ACC#a", "ACC", "bal"), "8");
  world.ok("again", R"({"id":"a","ids":["p","q"]})");
  EXPECT_EQ(world.attribute("tbl", "ACC#a", "ACC", "bal"), "10");
  EXPECT_EQ(world.faults(), std::vector<std::string>());
}

}  // namespace
}  // namespace trestle::runtime
