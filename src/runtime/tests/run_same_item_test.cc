// Two updates of one item in a transaction: they are merged, with everything that follows from both, or refused.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kDocs = R"yaml(
design: docs
version: 1
tables: {tbl: {key: [PK, SK], type: Type}}
types: {Name: "string([a-z0-9], 1..12)"}
entities:
  Team: {key: ["T#{team}", T], fields: {team: Name, docs: counter, points: number = 0, paid: counter, high: "int optional", rev: revision}}
  Doc:
    key: ["D#{doc}", D]
    fields: {doc: Name, team: "Name = 'a'", name: Name optional, points: "int(0..999) = 0", state: "enum(new, paid) = new", tags: "set<Name>(..6) optional", note: Name optional, extra: counter}
    unique: {name: "N#{name}"}
    each: {tags: Tag.tag}
  Tag: {key: ["G#{tag}", "D#{doc}"], fields: {tag: Name, doc: Name}}
  Pt: {key: ["T#{team}", "P#{n:03}#{doc}"], fields: {team: Name, n: "int(0..999)", doc: Name}}
tallies:
  docs: {of: Doc, into: Team, by: {team: team}, add: {docs: 1, points: points}}
  paid: {of: Doc, into: Team, by: {team: team}, add: {paid: 1}, when: state = paid}
reads:
  team: {get: Team}
writes:
  putTeam: {put: Team, takes: {team: Name}}
  put: {put: Doc}
)yaml";

// The changes that an update can make, in the design's language.
const std::vector<std::string>& changes() {
  static const std::vector<std::string> all = {
      "set: {team: \"'b'\"}", "set: {points: 7}",           "add: {points: 3}",
      "set: {state: paid}",   "set: {name: \"'n'\"}",       "remove: [name]",
      "add: {extra: 1}",      "set: {tags: \"list('x')\"}", "set: {note: \"'y'\"}"};
  return all;
}

std::string text() {
  std::string out(kDocs);
  for (size_t i = 0; i < changes().size(); ++i) {
    for (size_t j = 0; j < changes().size(); ++j)
      out += fmt::format(
          "  both{}x{}: {{takes: {{a: Name, b: Name}}, atomic: [{{update: Doc, by: {{doc: $a}}, {}, else: 404}}, "
          "{{update: Doc, by: {{doc: $b}}, {}, else: 404}}]}}\n",
          i, j, changes()[i], changes()[j]);
  }
  return out;
}

TEST(SameItem, two_updates_of_one_item_are_one_with_all_that_follows_or_are_refused) {
  for (size_t i = 0; i < changes().size(); ++i) {
    for (size_t j = 0; j < changes().size(); ++j) {
      DesignWorld world(text());
      for (const char* team : {"a", "b"}) world.ok("putTeam", fmt::format(R"({{"team":"{}"}})", team));
      world.ok("put", R"({"doc":"d","points":5,"name":"m","tags":["t"]})");
      const Reply reply = world.call(fmt::format("both{}x{}", i, j), R"({"a":"d","b":"d"})");
      EXPECT_TRUE(reply.status == 200 || reply.status == 400 || reply.status == 409) << reply.status << reply.message;
      EXPECT_EQ(world.faults(), std::vector<std::string>()) << changes()[i] << " and " << changes()[j];
      if (reply.status == 200) continue;
      EXPECT_EQ(world.attribute("tbl", "D#d", "D", "points"), "5");
      EXPECT_EQ(world.attribute("tbl", "T#a", "T", "docs"), "1");
    }
  }
}

TEST(SameItem, checks_are_combined_with_the_other_write) {
  DesignWorld world(R"yaml(
design: checked
version: 1
tables: {tbl: {key: [PK, SK], type: Type}}
types: {Name: "string([a-z0-9], 1..12)"}
entities:
  Acc: {key: ["A#{id}", A], fields: {id: Name, n: int = 0, state: "enum(open, shut) = open"}}
writes:
  put: {put: Acc}
  raise: {takes: {id: Name, n: int}, atomic: [{check: Acc, if: state = open, else: 409}, {update: Acc, set: {n: $n}, else: 404}, {check: Acc, if: n < $n, else: 409}]}
  remove: {takes: {id: Name}, atomic: [{check: Acc, if: n > 3, else: 422}, {delete: Acc, if: present, else: 404}]}
)yaml");
  world.refused(404, "raise", R"({"id":"a","n":3})");
  world.ok("put", R"({"id":"a"})");
  world.ok("raise", R"({"id":"a","n":3})");
  world.refused(409, "raise", R"({"id":"a","n":3})");
  world.refused(422, "remove", R"({"id":"a"})");
  world.ok("raise", R"({"id":"a","n":4})");
  world.ok("remove", R"({"id":"a"})");
  world.ok("put", R"({"id":"a","state":"shut"})");
  world.refused(409, "raise", R"({"id":"a","n":3})");
}

TEST(SameItem, amounts_are_summed_in_the_item_and_in_its_figures) {
  DesignWorld world(text());
  world.ok("putTeam", R"({"team":"a"})");
  world.ok("put", R"({"doc":"d","points":5})");
  world.ok("both2x2", R"({"a":"d","b":"d"})");
  EXPECT_EQ(world.attribute("tbl", "D#d", "D", "points"), "11");
  EXPECT_EQ(world.attribute("tbl", "T#a", "T", "points"), "11");
  world.ok("both6x0", R"({"a":"d","b":"d"})");  // no other write follows from the first update
  world.refused(400, "both0x0", R"({"a":"d","b":"d"})");
}

}  // namespace
}  // namespace trestle::runtime
