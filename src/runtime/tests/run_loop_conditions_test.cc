// A loop whose members update the same item with a condition. The condition is about the item before both updates.
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr const char* kStock = R"y(design: stock
version: 1
tables: {t: {key: [PK], type: Type, billing: on-demand}}
types: {Name: "string([a-z], 1..9)", Line: {sku: Name, qty: int(1..100)}}
entities:
  Stock: {key: ["S#{sku}"], fields: {sku: Name, onHand: "int(0..100000) = 15", reserved: int(0..100000) = 0}}
reads: {stock: {get: Stock}}
writes:
  create: {put: Stock, takes: {sku: Name}, if: absent, else: 409}
  sent:
    takes: {lines: "list<Line>(1..10)"}
    atomic: [{for: $lines, as: l, do: [{update: Stock, by: {sku: $l.sku}, add: {onHand: 0 - $l.qty}, if: onHand >= $l.qty, else: 409}]}]
  evaluated:
    takes: {lines: "list<Line>(1..10)"}
    atomic: [{for: $lines, as: l, do: [{update: Stock, by: {sku: $l.sku}, add: {reserved: $l.qty}, if: onHand - reserved >= $l.qty, else: 409}]}]
)y";

TEST(LoopConditions, two_members_with_one_item_are_refused) {
  DesignWorld world{kStock};
  for (const char* operation : {"sent", "evaluated"}) {
    const std::string sku = operation == std::string("sent") ? "a" : "b";
    world.ok("create", R"({"sku":")" + sku + "\"}");
    const std::string line = R"({"sku":")" + sku + R"(","qty":8})";
    world.refused(400, operation, R"({"lines":[)" + line + "," + line + "]}");
    world.ok(operation, R"({"lines":[)" + line + "]}");
    world.refused(409, operation, R"({"lines":[)" + line + "]}");
  }
}

}  // namespace
}  // namespace trestle::runtime
