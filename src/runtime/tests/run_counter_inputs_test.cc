// Inputs that are compared with a counter, which can have any amount.
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kBalances = R"yaml(
design: balances
version: 1
tables: {tbl: {key: [PK, SK], type: Type, indexes: {byBal: {key: [cur, bal N]}}}}
entities:
  Acc:
    key: ["ACC#{id}", ACC]
    fields: {id: "string([a-z0-9], 1..8)", cur: "string([A-Z], 3..3)", bal: counter}
    index: {rich: {on: byBal, key: ["{cur}", "{bal}"]}}
reads:
  rich: {query: Acc.rich, range: bal}
  exactly: {query: Acc.rich, by: [cur, bal]}
  like: {query: Acc.rich, by: {cur: $cur, bal: $amount}, takes: {cur: Acc.cur, amount: Acc.bal}}
writes:
  open: {put: Acc, if: absent, else: 409}
  add: {takes: {id: Acc.id, n: counter}, steps: [{update: Acc, add: {bal: $n}, else: 404}]}
)yaml";

TEST(CounterInputs, may_be_negative_or_fractions) {
  DesignWorld world{std::string(kBalances)};
  world.ok("open", R"({"id":"a","cur":"EUR"})");
  world.ok("add", R"({"id":"a","n":-2.5})");
  for (const char* call : {R"({"cur":"EUR","from":-3.5,"to":-1})", R"({"cur":"EUR","to":-2.5})"})
    EXPECT_EQ(world.ok("rich", call)["items"].elements().size(), 1U) << call;
  EXPECT_EQ(world.ok("rich", R"({"cur":"EUR","from":0})")["items"].elements().size(), 0U);
  EXPECT_EQ(world.ok("exactly", R"({"cur":"EUR","bal":-2.5})")["items"].elements().size(), 1U);
  EXPECT_EQ(world.ok("like", R"({"cur":"EUR","amount":-2.5})")["items"].elements().size(), 1U);
}

}  // namespace
}  // namespace trestle::runtime
