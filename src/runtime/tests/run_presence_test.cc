// A condition implies that the item exists, unless it tests a field of the key.
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kInvoices = R"yaml(
design: invoices
version: 1
tables: {tbl: {key: [PK, SK], type: Type}}
types: {Id: "string([a-z0-9], 1..10)"}
entities:
  Account: {key: ["ACC#{id}", ACC], fields: {id: Id, closed: time optional, n: counter}}
  Invoice: {key: ["ACC#{id}", "INV#{inv}"], fields: {id: Id, inv: Id}}
writes:
  open: {put: Account, if: absent, else: 409}
  close: {takes: {id: Id}, steps: [{update: Account, set: {closed: now}, if: NOT exists(closed), else: 409}]}
  checked:
    takes: {id: Id, inv: Id}
    atomic: [{check: Account, if: NOT exists(closed), else: 409}, {put: Invoice, if: absent, else: 409}]
  checkedNull:
    takes: {id: Id, inv: Id}
    atomic: [{check: Account, if: closed = null, else: 409}, {put: Invoice, if: absent, else: 409}]
  unlessThere:
    takes: {id: Id, inv: Id}
    atomic: [{check: Account, if: NOT exists(id), else: 409}, {put: Invoice, if: absent, else: 409}]
  unlessClosed:
    takes: {id: Id, inv: Id}
    atomic: [{check: Account, if: id = null OR closed = null, else: 409}, {put: Invoice, if: absent, else: 409}]
  drop: {delete: Account, if: NOT exists(closed), else: 409}
  dropAny: {delete: Account, if: attribute_not_exists(PK) OR n = 0, else: 409}
  raw: {update: Account, takes: {id: Id, by: int}, raw: "ADD n :by", else: 404}
)yaml";

TEST(Presence, a_condition_of_a_check_or_deletion_requires_the_item) {
  DesignWorld world{std::string(kInvoices)};
  world.refused(409, "checked", R"({"id":"a","inv":"1"})");
  world.refused(409, "checkedNull", R"({"id":"a","inv":"1"})");
  world.refused(409, "drop", R"({"id":"a"})");
  world.refused(404, "close", R"({"id":"a"})");
  world.ok("open", R"({"id":"a"})");
  world.ok("checked", R"({"id":"a","inv":"1"})");
  world.ok("checkedNull", R"({"id":"a","inv":"2"})");
  world.ok("close", R"({"id":"a"})");
  world.refused(409, "checked", R"({"id":"a","inv":"3"})");
  world.refused(409, "drop", R"({"id":"a"})");
}

TEST(Presence, a_test_of_the_key_does_not_require_the_item) {
  DesignWorld world{std::string(kInvoices)};
  world.ok("unlessThere", R"({"id":"a","inv":"1"})");
  world.ok("unlessClosed", R"({"id":"a","inv":"2"})");
  world.ok("dropAny", R"({"id":"a"})");
  world.ok("open", R"({"id":"a"})");
  world.refused(409, "unlessThere", R"({"id":"a","inv":"3"})");
  world.ok("unlessClosed", R"({"id":"a","inv":"3"})");
  world.ok("close", R"({"id":"a"})");
  world.refused(409, "unlessClosed", R"({"id":"a","inv":"4"})");
  world.ok("dropAny", R"({"id":"a"})");
}

TEST(Presence, a_raw_update_with_an_else_requires_the_item) {
  DesignWorld world{std::string(kInvoices)};
  world.refused(404, "raw", R"({"id":"a","by":2})");
  world.ok("open", R"({"id":"a"})");
  world.ok("raw", R"({"id":"a","by":2})");
  EXPECT_EQ(world.attribute("tbl", "ACC#a", "ACC", "n"), "2");
}

}  // namespace
}  // namespace trestle::runtime
