// The names of map members must not be empty.
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr const char* kItems = R"y(design: items
version: 1
tables: {t: {key: [PK], type: Type, billing: on-demand}}
types: {Name: "string([a-z], 1..9)", Part: {more: any}}
entities:
  Item:
    key: ["I#{item}"]
    fields: {item: Name, body: "any optional", part: "Part optional", many: "list<any>(..3) optional", prices: "map<int> optional"}
    additional: true
reads: {item: {get: Item}}
writes:
  create: {put: Item, if: absent, else: 409}
  setPrice: {takes: {item: Name, currency: string(..10), price: int}, steps: [{update: Item, set: {"prices[$currency]": $price}, else: 404}]}
  addPrice: {takes: {item: Name, currency: string(..10), price: int}, steps: [{update: Item, add: {"prices[lower($currency)]": $price}, else: 404}]}
)y";

TEST(MemberNames, an_empty_one_is_refused_wherever_it_is) {
  DesignWorld world{kItems};
  for (const char* value : {R"("body":{"":1})", R"("body":[{"a":{"":1}}])", R"("part":{"more":{"":1}})",
                            R"("many":[{"":1}])", R"("prices":{"":1})", R"("extra":{"":1})"})
    world.refused(400, "create", std::string(R"({"item":"a",)") + value + "}");
  world.ok("create", R"({"item":"a","body":{"a":{"b":[1]}}})");
  for (const char* operation : {"setPrice", "addPrice"}) {
    const Reply reply = world.call(operation, R"({"item":"a","currency":"","price":1})");
    EXPECT_EQ(reply.status, 400);
    EXPECT_NE(reply.message.find("currency"), std::string::npos) << reply.message;
    world.ok(operation, R"({"item":"a","currency":"eur","price":1})");
  }
}

}  // namespace
}  // namespace trestle::runtime
