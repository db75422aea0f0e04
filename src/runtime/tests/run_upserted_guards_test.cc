// The guard of an item that an upsert changes: it exists, and expires with its owner.
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kSeats = R"yaml(
design: seats
version: 1
tables: {tbl: {key: [PK, SK], type: Type, ttl: ttl}}
types: {Id: "string([a-z0-9], 1..12)"}
entities:
  B:
    key: ["B#{id}", B]
    fields: {id: Id, s: Id, e: epoch optional, n: int = 0}
    unique: {s: {key: "BS#{s}", keeps: [n]}}
    ttl: e
  O:
    key: ["O#{id}", O]
    fields: {id: Id, s: Id optional, e: epoch optional, n: int = 0}
    unique: {s: {key: "OS#{s}", keeps: [n]}}
    ttl: e
reads:
  b: {get: B}
  bs: {get: B.s}
writes:
  ups: {upsert: B}
  put: {put: O}
  later: {upsert: O, takes: {id: Id, e: epoch}}
  count: {upsert: O, takes: {id: Id}, add: {n: 1}}
)yaml";

TEST(UpsertedGuards, expire_with_their_owner) {
  DesignWorld world{std::string(kSeats)};
  const auto s = [](int64_t later) { return std::to_string(kTestNowMs / 1000 + later); };
  world.ok("ups", R"({"id":"a","s":"x","e":)" + s(100) + "}");
  world.ok("ups", R"({"id":"a","s":"x","e":)" + s(9000) + "}");
  EXPECT_EQ(world.attribute("tbl", "BS#x", "BS#x", "ttl"), s(9000));
  world.ok("ups", R"({"id":"a","s":"x","n":4})");
  EXPECT_EQ(world.attribute("tbl", "BS#x", "BS#x", "n"), "4");
  EXPECT_EQ(world.faults(), std::vector<std::string>());
  world.clock.advance_ms(200'000);
  world.refused(409, "ups", R"({"id":"b","s":"x"})");
}

TEST(UpsertedGuards, an_expired_owner_does_not_take_back_the_value_of_another_item) {
  DesignWorld world{std::string(kSeats)};
  const auto s = [](int64_t later) { return std::to_string(kTestNowMs / 1000 + later); };
  world.ok("ups", R"({"id":"a","s":"x","e":)" + s(100) + "}");
  world.clock.advance_ms(200'000);
  world.ok("ups", R"({"id":"b","s":"x","e":)" + s(9000) + "}");
  world.refused(409, "ups", R"({"id":"a","s":"x","e":)" + s(9000) + "}");
  EXPECT_EQ(world.ok("bs", R"({"s":"x"})")["item"].member("id").string(), "b");
}

TEST(UpsertedGuards, follow_an_upsert_that_does_not_write_the_guarded_value) {
  DesignWorld world{std::string(kSeats)};
  const auto s = [](int64_t later) { return std::to_string(kTestNowMs / 1000 + later); };
  world.ok("put", R"({"id":"a","s":"x","e":)" + s(100) + "}");
  world.ok("later", R"({"id":"a","e":)" + s(9000) + "}");
  EXPECT_EQ(world.attribute("tbl", "OS#x", "OS#x", "ttl"), s(9000));
  world.ok("count", R"({"id":"a"})");
  EXPECT_EQ(world.attribute("tbl", "OS#x", "OS#x", "n"), "1");
  world.ok("later", R"({"id":"new","e":)" + s(9000) + "}");
  EXPECT_EQ(world.faults(), std::vector<std::string>());
}

}  // namespace
}  // namespace trestle::runtime
