// A counter can count any numbers, both in the writer's transaction and through the stream.
#include "runtime/background/stream_tallies.h"
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr const char* kAccounts = R"y(design: accounts
version: 1
tables: {t: {key: [PK, SK], type: Type, stream: new-and-old}}
types: {Name: "string([a-z], 1..9)"}
entities:
  Account: {key: ["A#{a}", A], fields: {a: Name, spent: counter, streamed: counter, byShop: map<number> optional}}
  Buy: {key: ["A#{a}", "B#{b}"], fields: {a: Name, b: Name, shop: Name, price: money}}
tallies:
  spent: {of: Buy, into: Account, by: {a: a}, add: {spent: price, "byShop[shop]": price}}
  streamed: {of: Buy, into: Account, by: {a: a}, add: {streamed: price}, through: stream}
reads: {account: {get: Account}, buys: {query: Buy}}
writes:
  open: {put: Account}
  buy: {put: Buy}
  refund: {delete: Buy}
  both: {takes: {a: Name, b: Name, shop: Name, price: money}, atomic: [{put: Buy}, {put: Account}]}
  tip: {update: Account, takes: {a: Name, by: money}, add: {spent: $by}, else: 404}
)y";

TEST(CountedDecimals, agree_in_the_transaction_and_through_the_stream) {
  DesignWorld world{kAccounts};
  const ItemCodec codec(world.reading->design, world.keys.get(), &world.blobs);
  ItemForm form(world.reading->design, world.database, codec);
  StreamTallies tallies(world.reading->design, world.database, codec, form);
  const auto expect = [&](const char* sum) {
    ASSERT_TRUE(tallies.drain(world.clock.now_ms()).has_value());
    EXPECT_EQ(world.attribute("t", "A#x", "A", "spent"), sum);
    EXPECT_EQ(world.attribute("t", "A#x", "A", "streamed"), sum);
    EXPECT_EQ(world.faults(), std::vector<std::string>());
  };
  world.ok("buy", R"({"a":"x","b":"p","shop":"s","price":2.5})");
  world.ok("buy", R"({"a":"x","b":"q","shop":"s","price":0.75})");
  expect("3.25");
  world.ok("buy", R"({"a":"x","b":"q","shop":"s","price":1})");
  expect("3.5");
  world.ok("both", R"({"a":"x","b":"r","shop":"t","price":0.25})");
  expect("3.75");
  world.ok("refund", R"({"a":"x","b":"p"})");
  expect("1.25");
  EXPECT_EQ(world.ok("account", R"({"a":"x"})")["item"].member("spent").string(), "1.25");
  world.ok("tip", R"({"a":"x","by":0.5})");
  EXPECT_EQ(world.attribute("t", "A#x", "A", "spent"), "1.75");
}

// The counted item has no amount, but creates the target.
TEST(CountedDecimals, a_target_has_its_counter_from_the_first_item) {
  DesignWorld world{R"y(design: sums
version: 1
tables: {t: {key: [PK, SK], type: Type, indexes: {bySum: {key: [G1P, sum N]}}}}
types: {Name: "string([a-z], 1..9)"}
entities:
  Sum: {key: ["S#{a}", S], fields: {a: Name, sum: counter}, index: {bySum: {on: bySum, key: [SUMS, "{sum}"]}}}
  Buy: {key: ["A#{a}", "B#{b}"], fields: {a: Name, b: Name, price: money optional}}
tallies: {sums: {of: Buy, into: Sum, by: {a: a}, add: {sum: price}}}
reads: {sums: {query: Sum.bySum}}
writes: {buy: {put: Buy}, change: {update: Buy, else: 404}, refund: {delete: Buy}}
)y"};
  const auto expect = [&](const char* sum) {
    EXPECT_EQ(world.attribute("t", "S#x", "S", "sum"), sum);
    EXPECT_EQ(world.walk("sums", "{}", 9).size(), 1u);
    EXPECT_EQ(world.faults(), std::vector<std::string>());
  };
  world.ok("buy", R"({"a":"x","b":"p"})");
  expect("0");
  world.ok("change", R"({"a":"x","b":"p","price":-2.5})");
  expect("-2.5");
  world.ok("buy", R"({"a":"x","b":"q","price":4})");
  world.ok("change", R"({"a":"x","b":"p","price":null})");
  expect("4");
  world.ok("refund", R"({"a":"x","b":"p"})");
  world.ok("refund", R"({"a":"x","b":"q"})");
  expect("0");
}

}  // namespace
}  // namespace trestle::runtime
