// `idempotent`: a repeated call finds the item of the first one by its guard.
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kPayments = R"yaml(
design: payments
version: 1
tables: {tbl: {key: [PK, SK], type: Type}}
types: {Id: "string([a-z0-9], 1..12)"}
entities:
  Acc: {key: ["ACC#{acc}", ACC], fields: {acc: Id, balance: int = 100}}
  Payment:
    key: ["ACC#{acc}", "PAY#{pay}"]
    fields: {acc: Id, pay: ulid auto, amount: int, request: Id}
    unique: {byRequest: "REQ#{acc}#{request}"}
writes:
  open: {put: Acc, if: absent, else: 409}
  pay:
    takes: {acc: Id, amount: int, key: Id}
    idempotent: byRequest
    atomic:
      - {update: Acc, add: {balance: 0 - $amount}, else: 404}
      - {put: Payment, set: {request: $key}, if: absent}
)yaml";

TEST(IdempotentGuard, may_have_a_value_that_the_put_sets) {
  DesignWorld world{std::string(kPayments)};
  world.ok("open", R"({"acc":"a"})");
  const std::string first = world.ok("pay", R"({"acc":"a","amount":5,"key":"k"})").json;
  EXPECT_EQ(world.ok("pay", R"({"acc":"a","amount":5,"key":"k"})").json, first);
  EXPECT_EQ(world.attribute("tbl", "ACC#a", "ACC", "balance"), "95");
}

}  // namespace
}  // namespace trestle::runtime
