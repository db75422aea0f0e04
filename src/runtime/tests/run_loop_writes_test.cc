// A loop in `atomic` in which several members write the same item.
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr const char* kStockDesign = R"yaml(
design: stock
version: 1
tables: {t: {key: [PK, SK], indexes: {low: {key: [lowKey, onHand N]}}}}
types:
  Name: "string([a-z], 1..9)"
  Line: {sku: Name, qty: int(1..100)}
entities:
  Stock:
    key: ["S#{sku}", STOCK]
    fields: {sku: Name, team: "Name = 'a'", onHand: "int(0..1000) = 0", reserved: "int(0..1000) = 0", half: int = 0, top: "int = 0"}
    index: {low: {on: low, key: [LOW, "{onHand}"], if: onHand < 10}}
  Plain:
    key: ["P#{sku}", PLAIN]
    fields: {sku: Name, team: "Name = 'a'", onHand: "int(0..1000) = 0", big: int = 0}
  Team: {key: ["T#{team}", TEAM], fields: {team: Name, total: counter, many: counter}}
tallies:
  total: {of: Plain, into: Team, by: {team: team}, add: {total: onHand}}
  many: {of: Plain, into: Team, by: {team: team}, add: {many: 1}, when: big > 7}
reads:
  stock: {get: Stock, consistent: true}
  plain: {get: Plain, consistent: true}
  team: {get: Team, consistent: true}
writes:
  addStock: {put: Stock, takes: {sku: Name, onHand: Stock.onHand}, if: absent}
  addPlain: {put: Plain, takes: {sku: Name, onHand: Plain.onHand}, if: absent}
  reserve:
    takes: {lines: "list<Line>(1..10)"}
    atomic:
      - {for: $lines, as: l, do: [{update: Stock, by: {sku: $l.sku}, add: {reserved: $l.qty}, if: onHand - reserved >= $l.qty, else: 409}]}
  receive:
    takes: {lines: "list<Line>(1..10)"}
    atomic:
      - {for: $lines, as: l, do: [{update: Stock, by: {sku: $l.sku}, add: {onHand: $l.qty}, else: 404}]}
  halve:
    takes: {lines: "list<Line>(1..10)"}
    atomic:
      - {for: $lines, as: l, do: [{update: Stock, by: {sku: $l.sku}, set: {top: floor(top / 2) + 1}, else: 404}]}
  deliver:
    takes: {lines: "list<Line>(1..10)"}
    atomic:
      - {for: $lines, as: l, do: [{update: Plain, by: {sku: $l.sku}, add: {onHand: $l.qty}, else: 404}]}
  correct:
    takes: {lines: "list<Line>(1..10)"}
    atomic:
      - {for: $lines, as: l, do: [{update: Plain, by: {sku: $l.sku}, add: {onHand: 10 - $l.qty}, else: 404}]}
  enlarge:
    takes: {lines: "list<Line>(1..10)"}
    atomic:
      - {for: $lines, as: l, do: [{update: Plain, by: {sku: $l.sku}, add: {big: $l.qty}, else: 404}]}
  level:
    takes: {lines: "list<Line>(1..10)"}
    atomic:
      - {for: $lines, as: l, do: [{update: Plain, by: {sku: $l.sku}, set: {onHand: $l.qty}, else: 404}]}
)yaml";

class LoopWrites : public testing::Test {
 protected:
  LoopWrites() : world_(kStockDesign) {
    world_.ok("addStock", R"({"sku":"a","onHand":15})");
    world_.ok("addStock", R"({"sku":"b","onHand":3})");
    world_.ok("addPlain", R"({"sku":"a","onHand":5})");
  }
  std::string value(const std::string& read, const std::string& sku, const std::string& field) {
    const Reply reply =
        world_.ok(read, R"({")" + std::string(read == "team" ? "team" : "sku") + R"(":")" + sku + R"("})");
    const Plain& stored = reply["item"].member(field);
    return stored.exists() ? stored.string() : "none";
  }
  DesignWorld world_;
};

constexpr const char* kTwice = R"({"lines":[{"sku":"a","qty":8},{"sku":"a","qty":8}]})";
constexpr const char* kOnceEach = R"({"lines":[{"sku":"a","qty":3},{"sku":"b","qty":3}]})";

TEST_F(LoopWrites, two_updates_of_an_item_under_a_computed_condition_are_refused) {
  world_.refused(400, "reserve", kTwice);
  EXPECT_EQ(value("stock", "a", "reserved"), "0");
  world_.ok("reserve", kOnceEach);
  EXPECT_EQ(value("stock", "a", "reserved"), "3");
}

TEST_F(LoopWrites, two_updates_of_an_item_are_refused_if_an_index_entry_depends_on_what_they_add) {
  world_.refused(400, "receive", kTwice);
  world_.refused(400, "receive", R"({"lines":[{"sku":"b","qty":4},{"sku":"b","qty":5}]})");
  EXPECT_EQ(value("stock", "b", "onHand"), "3");
  world_.ok("receive", kOnceEach);
  EXPECT_EQ(world_.faults(), std::vector<std::string>());
}

TEST_F(LoopWrites, two_updates_that_compute_a_value_from_the_item_are_refused) {
  world_.refused(400, "halve", kTwice);
  EXPECT_EQ(value("stock", "a", "top"), "0");
  world_.ok("halve", kOnceEach);
  EXPECT_EQ(value("stock", "a", "top"), "1");
}

TEST_F(LoopWrites, amounts_that_a_tally_only_sums_are_summed) {
  world_.ok("deliver", kTwice);
  EXPECT_EQ(value("plain", "a", "onHand"), "21");
  EXPECT_EQ(value("team", "a", "total"), "21");
  EXPECT_EQ(world_.faults(), std::vector<std::string>());
}

TEST_F(LoopWrites, the_sum_of_amounts_stays_within_the_range) {
  world_.ok("correct", R"({"lines":[{"sku":"a","qty":18},{"sku":"a","qty":2}]})");
  world_.ok("correct", R"({"lines":[{"sku":"a","qty":2},{"sku":"a","qty":18}]})");
  EXPECT_EQ(value("plain", "a", "onHand"), "5");
  world_.refused(409, "correct", R"({"lines":[{"sku":"a","qty":18},{"sku":"a","qty":9}]})");
  world_.refused(409, "correct", R"({"lines":[{"sku":"a","qty":18}]})");
  EXPECT_EQ(value("team", "a", "total"), "5");
  EXPECT_EQ(world_.faults(), std::vector<std::string>());
}

TEST_F(LoopWrites, two_updates_of_what_a_tally_compares_or_replaces_are_refused) {
  world_.refused(400, "enlarge", kTwice);
  world_.refused(400, "level", R"({"lines":[{"sku":"a","qty":9},{"sku":"a","qty":9}]})");
  world_.ok("enlarge", R"({"lines":[{"sku":"a","qty":8}]})");
  world_.ok("level", R"({"lines":[{"sku":"a","qty":9}]})");
  EXPECT_EQ(value("team", "a", "many"), "1");
  EXPECT_EQ(world_.faults(), std::vector<std::string>());
}

}  // namespace
}  // namespace trestle::runtime
