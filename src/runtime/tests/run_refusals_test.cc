// Which refusal a write returns if several of its conditions fail.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kAccounts = R"y(design: accounts
tables: {accounts: {key: [PK, SK], type: Type}}
types: {Name: "string([a-z], 1..9)"}
entities:
  Account:
    key: ["A#{name}", ACCOUNT]
    fields: {name: Name, balance: int(0..1000) = 0, state: "enum(open, frozen, closed) = open"}
    flow: {state: {open: [frozen], frozen: [open, closed]}}
  Posting:
    key: ["A#{name}", "P#{id}"]
    fields: {name: Name, id: ulid auto, cents: int(-1000..1000)}
tallies:
  balance: {of: Posting, into: Account, by: {name: name}, add: {balance: cents}}
writes:
  open: {put: Account, if: absent, else: 409}
  deposit: {put: Posting, if: absent}
  pay:
    takes: {name: Name, cents: int(1..1000)}
    atomic:
      - {check: Account, if: balance >= $cents, else: {status: 402, message: Not enough.}}
      - {put: Posting, set: {cents: 0 - $cents}, if: absent}
  close: {update: Account, takes: {name: Name}, by: [name], set: {state: closed}, if: balance = 0, else: {status: 402, message: There is money on it.}}
  turn: {update: Account, takes: {name: Name, state: Account.state}, by: [name], set: {state: $state}, if: balance < 500, else: 402}
  write: {put: Account}
  place: {upsert: Account, takes: {name: Name, state: Account.state}, by: [name], set: {state: $state}}
  thaw: {update: Account, takes: {name: Name}, by: [name], set: {state: open}, if: state = frozen, else: {status: 402, message: It is not frozen.}}
)y";

TEST(Refusals, a_check_beside_a_tally_comes_before_the_range_of_the_figure) {
  DesignWorld world{std::string(kAccounts)};
  world.ok("open", R"({"name":"a"})");
  world.ok("deposit", R"({"name":"a","cents":100})");
  const Reply refused = world.call("pay", R"({"name":"a","cents":101})");
  EXPECT_EQ(refused.status, 402);
  EXPECT_EQ(refused.message, "Not enough.");
  EXPECT_EQ(world.call("deposit", R"({"name":"a","cents":1000})").status, 409);
  world.ok("pay", R"({"name":"a","cents":100})");
}

TEST(Refusals, a_replaced_item_changes_along_the_flow_and_a_new_one_begins_anywhere) {
  for (const std::string write : {"write", "place"}) {
    DesignWorld world{std::string(kAccounts)};
    world.ok(write, R"({"name":"a","state":"closed"})");
    world.refused(409, write, R"({"name":"a","state":"open"})");
    world.ok(write, R"({"name":"a","state":"closed"})");
    world.ok(write, R"({"name":"b","state":"open"})");
    world.refused(409, write, R"({"name":"b","state":"closed"})");
    world.ok(write, R"({"name":"b","state":"frozen"})");
    world.ok(write, R"({"name":"b","state":"closed"})");
  }
  // Without an input, the state is the default.
  DesignWorld world{std::string(kAccounts)};
  world.ok("write", R"({"name":"a","state":"closed"})");
  world.refused(409, "write", R"({"name":"a"})");
}

TEST(Refusals, a_change_that_the_flow_does_not_allow_is_not_the_conditions) {
  DesignWorld world{std::string(kAccounts)};
  world.ok("open", R"({"name":"a"})");
  const Reply refused = world.call("close", R"({"name":"a"})");
  EXPECT_EQ(refused.status, 409) << refused.message;
  EXPECT_EQ(world.call("turn", R"({"name":"a","state":"closed"})").status, 409);
  world.ok("turn", R"({"name":"a","state":"frozen"})");
  world.ok("deposit", R"({"name":"a","cents":500})");
  EXPECT_EQ(world.call("close", R"({"name":"a"})").message, "There is money on it.");
  EXPECT_EQ(world.call("turn", R"({"name":"a","state":"closed"})").status, 402);
  world.ok("thaw", R"({"name":"a"})");
  // The condition uses the state itself, so its refusal is preferred.
  EXPECT_EQ(world.call("thaw", R"({"name":"a"})").message, "It is not frozen.");
  EXPECT_EQ(world.call("close", R"({"name":"b"})").status, 404);
}

}  // namespace
}  // namespace trestle::runtime
