// Tallies through the stream equal a recount: whatever the sign of the amounts, and including what follows from them.
#include "runtime/background/stream_tallies.h"

#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kMoves = R"yaml(
design: moves
version: 1
tables:
  tbl: {key: [PK, SK], type: Type, stream: new-and-old, indexes: {bySum: {key: [G1P, sum N]}, byHigh: {key: [G2P, high N]}}}
types: {Name: "string([a-z], 1..5)"}
entities:
  Move: {key: ["A#{id}", "M#{no:03}"], fields: {id: Name, no: int(0..999), amount: number optional, kind: "Name = 'k'"}}
  Sum:
    key: ["S#{id}", S]
    fields: {id: Name, sum: counter}
    index: {bySum: {on: bySum, key: ["ALL", "{sum}"]}}
  Record: {key: ["R#{id}", S], fields: {id: Name, most: max<number> optional}}
  Kinds: {key: ["K#{id}", S], fields: {id: Name, kinds: "map<number> optional"}}
  Late:
    key: ["L#{id}", S]
    fields: {id: Name, moves: counter, high: counter, kinds: "map<number> optional"}
    index: {byHigh: {on: byHigh, key: ["ALL", "{high}"]}}
tallies:
  sums: {of: Move, into: Sum, by: {id: id}, add: {sum: amount}, through: stream}
  kinds: {of: Move, into: Kinds, by: {id: id}, add: {"kinds[kind]": amount}, through: stream}
  records: {of: Move, into: Record, by: {id: id}, max: {most: amount}, through: stream}
  moves: {of: Move, into: Late, by: {id: id}, add: {moves: 1}, through: stream}
  highs: {of: Move, into: Late, by: {id: id}, add: {high: amount}, through: stream}
reads:
  sum: {get: Sum}
  sums: {query: Sum.bySum}
  highs: {query: Late.byHigh}
writes:
  move: {put: Move}
  drop: {delete: Move}
)yaml";

struct Moves {
  Moves()
      : world(std::string(kMoves)),
        codec(world.reading->design, world.keys.get(), &world.blobs),
        form(world.reading->design, world.database, codec),
        tallies(world.reading->design, world.database, codec, form) {}
  void move(const std::string& id, int no, const std::string& amount) {
    world.ok("move", fmt::format(R"({{"id":"{}","no":{},"amount":{}}})", id, no, amount));
  }
  void drop(const std::string& id, int no) { world.ok("drop", fmt::format(R"({{"id":"{}","no":{}}})", id, no)); }
  void expect(const std::string& id, const std::string& sum) {
    const auto done = tallies.drain(world.clock.now_ms());
    EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
    EXPECT_EQ(world.attribute("tbl", "S#" + id, "S", "sum"), sum);
    EXPECT_EQ(fmt::format("{}", fmt::join(world.faults(), "\n")), "");
  }

  DesignWorld world;
  ItemCodec codec;
  ItemForm form;
  StreamTallies tallies;
};

TEST(StreamTallies, a_target_is_created_by_negative_amounts) {
  Moves moves;
  moves.move("a", 1, "-5");
  moves.expect("a", "-5");
  moves.drop("a", 1);
  moves.expect("a", "0");
  // The sum of a batch is negative, then zero.
  moves.move("b", 1, "1");
  moves.move("b", 2, "-3");
  moves.expect("b", "-2");
  moves.move("b", 3, "10");
  moves.expect("b", "8");
  moves.move("c", 1, "4");
  moves.move("c", 2, "-4");
  moves.expect("c", "0");
  moves.drop("c", 1);
  moves.expect("c", "-4");
  // Neither an item without an amount nor one that is gone creates a target.
  moves.move("d", 1, "null");
  moves.move("e", 1, "3");
  moves.drop("e", 1);
  moves.expect("d", "");
  moves.expect("e", "");
  moves.move("d", 1, "-7");
  moves.expect("d", "-7");
  moves.move("d", 1, "-8");
  moves.expect("d", "-8");
}

TEST(StreamTallies, a_target_that_is_gone_is_not_created_by_what_leaves_it) {
  Moves moves;
  moves.move("a", 1, "-5");
  moves.expect("a", "-5");
  const auto removed = moves.world.engine->delete_item(
      {.table_name = "tbl", .key = Item({{"PK", Value::string("S#a")}, {"SK", Value::string("S")}})});
  ASSERT_TRUE(removed.has_value());
  moves.drop("a", 1);
  ASSERT_TRUE(moves.tallies.drain(moves.world.clock.now_ms()).has_value());
  EXPECT_EQ(moves.world.call("sum", R"({"id":"a"})").status, 404);
}

// The item came and went in one batch.
TEST(StreamTallies, an_all_time_maximum_is_created_by_an_item_that_is_gone) {
  Moves moves;
  moves.move("a", 1, "-3");
  moves.drop("a", 1);
  moves.expect("a", "");
  EXPECT_EQ(moves.world.attribute("tbl", "R#a", "S", "most"), "-3");
}

TEST(StreamTallies, the_first_update_writes_the_index_entry_of_its_figure) {
  Moves moves;
  moves.move("a", 1, "3");
  moves.move("b", 1, "-2");
  moves.expect("a", "3");
  EXPECT_EQ(moves.world.walk("sums", "{}", 10).size(), 2u);
  EXPECT_EQ(moves.world.walk("highs", "{}", 10).size(), 2u);
}

// The figure is newer than the target.
TEST(StreamTallies, a_figure_that_an_existing_target_lacks_brings_it_into_its_index) {
  Moves moves;
  moves.move("a", 1, "null");
  moves.expect("a", "");
  UpdateItemRequest older{.table_name = "tbl", .key = Item({{"PK", Value::string("L#a")}, {"SK", Value::string("S")}})};
  older.update_expression = "REMOVE high, G2P";
  ASSERT_TRUE(moves.world.engine->update_item(older).has_value());
  EXPECT_EQ(moves.world.walk("highs", "{}", 10).size(), 0u);
  moves.move("a", 1, "-1");
  moves.expect("a", "-1");
  EXPECT_EQ(moves.world.walk("highs", "{}", 10).size(), 1u);
}

}  // namespace
}  // namespace trestle::runtime
