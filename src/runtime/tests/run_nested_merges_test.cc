// An update of a tally's target in the transaction of two tallies that need another form after the first attempt.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

std::string nested(std::string_view second) {
  return fmt::format(R"yaml(
design: nested
version: 1
tables: {{tbl: {{key: [PK, SK], type: Type, indexes: {{GSI1: {{key: [GPK, GSK N]}}}}}}}}
types: {{Id: "string([a-z0-9], 1..8)"}}
entities:
  Acc:
    key: ["ACC#{{id}}", ACC]
    fields: {{id: Id, c1: counter, c2: counter, n: int = 0, st: "enum(open, shut) = open", byKind: "map<int>(..20) optional", top: max<int> optional, best: int optional, big: int optional, rev: revision}}
  E:
    key: ["ACC#{{id}}", "E#{{eid}}"]
    fields: {{id: Id, eid: Id, amount: int, ok: bool = true}}
    index: {{byAmount: {{on: GSI1, key: ["EB#{{id}}", "{{amount}}"]}}}}
tallies:
  all: {{of: E, into: Acc, by: {{id: id}}, add: {{c1: 1}}, max: {{best: amount}}}}
  good: {{of: E, into: Acc, by: {{id: id}}, {}, when: ok = true}}
reads:
  acc: {{get: Acc}}
writes:
  open: {{put: Acc, if: absent, else: 409}}
  add: {{put: E, if: absent, else: 409}}
  addAndCount:
    takes: {{id: Id, eid: Id, amount: int}}
    atomic:
      - {{put: E, if: absent, else: 409}}
      - {{update: Acc, set: {{n: n + 1}}, else: 404}}
  dropAndCount:
    takes: {{id: Id, eid: Id}}
    atomic:
      - {{delete: E, if: present, else: 404}}
      - {{update: Acc, set: {{n: n + 1}}, if: st = open, else: 409}}
  dropAndCheck:
    takes: {{id: Id, eid: Id}}
    atomic:
      - {{delete: E, if: present, else: 404}}
      - {{check: Acc, if: st = open, else: 409}}
)yaml",
                     second);
}

TEST(NestedMerges, every_part_gets_the_form_that_fits_the_item) {
  for (const char* second : {"add: {c2: 1, \"byKind[eid]\": amount}", "add: {c2: 1}, max: {top: amount}",
                             "add: {c2: 1}, max: {big: amount}"}) {
    DesignWorld world(nested(second));
    world.ok("open", R"({"id":"a"})");
    world.ok("addAndCount", R"({"id":"a","eid":"1","amount":5})");
    world.ok("addAndCount", R"({"id":"a","eid":"2","amount":3})");
    world.ok("addAndCount", R"({"id":"a","eid":"3","amount":9})");
    EXPECT_EQ(world.attribute("tbl", "ACC#a", "ACC", "best"), "9") << second;
    world.ok("dropAndCount", R"({"id":"a","eid":"3"})");
    EXPECT_EQ(world.attribute("tbl", "ACC#a", "ACC", "best"), "5") << second;
    world.ok("dropAndCheck", R"({"id":"a","eid":"1"})");
    EXPECT_EQ(world.attribute("tbl", "ACC#a", "ACC", "best"), "3") << second;
    EXPECT_EQ(world.attribute("tbl", "ACC#a", "ACC", "n"), "4") << second;
    EXPECT_EQ(world.faults(), std::vector<std::string>()) << second;
  }
}

}  // namespace
}  // namespace trestle::runtime
