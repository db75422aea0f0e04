// An online shop (tests/designs/data/shop.yaml): figures maintained in transactions, guards, several actions on one
// item.
#include <fmt/format.h>

#include "design/check/check.h"
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

using Strings = std::vector<std::string>;

class OnlineShop : public testing::Test {
 protected:
  OnlineShop() {
    product("a");
    world_.ok("addOrder", R"({"order":"o1","email":"a@b.org","status":"open"})");
  }
  void product(const std::string& sku) {
    world_.ok("addProduct", fmt::format(R"({{"sku":"{}","name":"N","price":9.5,"stock":10}})", sku));
  }
  std::string figure(const std::string& name, const std::string& sku = "a") {
    return world_.attribute("shop-main", "PRODUCT#" + sku, "PRODUCT", name);
  }
  std::string total(const std::string& name) { return world_.attribute("shop-main", "ORDER#o1", "ORDER", name); }
  void line(int number, int quantity, int price) {
    world_.ok("addLine", fmt::format(R"({{"order":"o1","number":{},"sku":"a","quantity":{},"price":{}}})", number,
                                     quantity, price));
  }
  DesignWorld world_{test_design("shop")};
};

TEST_F(OnlineShop, the_design_checks_clean) {
  const auto report = design::check_design(*world_.reading);
  for (const auto& finding : report.findings) EXPECT_NE(finding.severity, design::Severity::kError) << finding.message;
}

TEST_F(OnlineShop, a_figure_of_key_fields_comes_down_on_delete_and_stays_on_replace) {
  world_.ok("wish", R"({"sku":"a","user":"u1"})");
  world_.ok("wish", R"({"sku":"a","user":"u2"})");
  world_.ok("wish", R"({"sku":"a","user":"u2"})");
  EXPECT_EQ(figure("wishes"), "2");
  world_.ok("unwish", R"({"sku":"a","user":"u2"})");
  world_.ok("unwish", R"({"sku":"a","user":"u2"})");
  world_.ok("unwish", R"({"sku":"a","user":"never"})");
  EXPECT_EQ(figure("wishes"), "1");
  world_.refused(404, "unwishExisting", R"({"sku":"a","user":"never"})");
  world_.ok("unwishExisting", R"({"sku":"a","user":"u1"})");
  EXPECT_EQ(figure("wishes"), "0");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(OnlineShop, a_figure_of_other_fields_follows_replace_and_delete) {
  world_.ok("review", R"({"sku":"a","user":"u1","rating":5})");
  world_.ok("review", R"({"sku":"a","user":"u2","rating":2})");
  world_.ok("review", R"({"sku":"a","user":"u2","rating":4})");
  EXPECT_EQ(figure("reviews"), "2");
  EXPECT_EQ(figure("stars"), "9");
  world_.ok("withdraw", R"({"sku":"a","user":"u1"})");
  world_.ok("withdraw", R"({"sku":"a","user":"u1"})");
  world_.ok("withdrawExisting", R"({"sku":"a","user":"u2"})");
  EXPECT_EQ(figure("reviews"), "0");
  EXPECT_EQ(figure("stars"), "0");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(OnlineShop, a_cascade_takes_its_items_out_of_their_figures) {
  for (int i = 1; i <= 4; ++i) line(i, 2, 3);
  EXPECT_EQ(total("lines"), "4");
  EXPECT_EQ(total("pieces"), "8");
  EXPECT_EQ(total("amount"), "24");
  world_.ok("clearOrder", R"({"order":"o1"})");
  EXPECT_EQ(world_.ok("linesOf", R"({"order":"o1"})")["items"].elements().size(), 0u);
  EXPECT_EQ(total("lines"), "0");
  EXPECT_EQ(total("amount"), "0");
  for (const char* user : {"u1", "u2"}) world_.ok("wish", fmt::format(R"({{"sku":"a","user":"{}"}})", user));
  world_.ok("clearWishes", R"({"sku":"a"})");
  EXPECT_EQ(figure("wishes"), "0");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(OnlineShop, a_replaced_item_keeps_the_figures_counted_in_it) {
  world_.ok("wish", R"({"sku":"a","user":"u1"})");
  world_.ok("replaceProduct", R"({"sku":"a","name":"Other","price":1,"stock":5})");
  EXPECT_EQ(figure("wishes"), "1");
  EXPECT_EQ(figure("name"), "Other");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(OnlineShop, deleting_what_is_not_there_leaves_the_guard_of_another) {
  world_.ok("addSeat", R"({"room":"r1","user":"u","number":1})");
  world_.ok("freeSeat", R"({"room":"r2","user":"u"})");
  world_.refused(409, "addSeat", R"({"room":"r3","user":"u","number":1})");
  EXPECT_EQ(world_.ok("seatOf", R"({"user":"u"})")["item"].member("room").string(), "r1");
  world_.ok("freeSeat", R"({"room":"r1","user":"u"})");
  world_.ok("addSeat", R"({"room":"r3","user":"u","number":1})");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(OnlineShop, a_check_of_the_item_that_is_counted_in_is_part_of_the_same_write) {
  line(1, 2, 3);
  world_.ok("pay", R"({"order":"o1"})");
  EXPECT_EQ(world_.attribute("shop-main", "ORDER#o1", "ORDER", "GSI1PK"), "STATUS#paid");
  world_.refused(409, "addLine", R"({"order":"o1","number":2,"sku":"a","quantity":1,"price":1})");
  EXPECT_EQ(total("lines"), "1");
}

TEST_F(OnlineShop, an_update_of_the_item_that_is_counted_in_is_part_of_the_same_write) {
  world_.ok("payWith", R"({"order":"o1","number":1,"sku":"a","quantity":2,"price":3})");
  EXPECT_EQ(total("status"), "paid");
  EXPECT_EQ(total("pieces"), "2");
  EXPECT_EQ(total("amount"), "6");
  world_.refused(409, "payWith", R"({"order":"o1","number":1,"sku":"a","quantity":2,"price":3})");
  world_.refused(404, "payWith", R"({"order":"none","number":1,"sku":"a","quantity":2,"price":3})");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(OnlineShop, what_is_put_beside_what_it_counts_begins_with_that_count) {
  world_.ok("openWith", R"({"order":"o2","email":"a@b.org","sku":"a","quantity":2,"price":3})");
  EXPECT_EQ(world_.attribute("shop-main", "ORDER#o2", "ORDER", "amount"), "6");
  EXPECT_EQ(world_.attribute("shop-main", "ORDER#o2", "ORDER", "lines"), "1");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(OnlineShop, nothing_is_counted_in_an_item_that_is_not_there) {
  const Reply reply = world_.call("wish", R"({"sku":"none","user":"u1"})");
  EXPECT_EQ(reply.status, 404);
  EXPECT_NE(reply.message.find("Product"), std::string::npos) << reply.message;
  EXPECT_EQ(world_.count("shop-main"), 2u);
  // If the product is gone, the rest is removed without it.
  world_.ok("wish", R"({"sku":"a","user":"u1"})");
  ASSERT_TRUE(world_.engine
                  ->delete_item({.table_name = "shop-main",
                                 .key = Item({{"PK", Value::string("PRODUCT#a")}, {"SK", Value::string("PRODUCT")}})})
                  .has_value());
  world_.ok("unwish", R"({"sku":"a","user":"u1"})");
  EXPECT_EQ(world_.count("shop-main"), 1u);
}

TEST_F(OnlineShop, arithmetic_in_set_is_done_by_the_database_within_the_range) {
  world_.ok("sell", R"({"sku":"a","quantity":3})");
  EXPECT_EQ(figure("stock"), "7");
  EXPECT_EQ(figure("sold"), "3");
  const Reply reply = world_.call("sell", R"({"sku":"a","quantity":8})");
  EXPECT_EQ(reply.status, 409);
  EXPECT_NE(reply.message.find("stock"), std::string::npos) << reply.message;
  EXPECT_EQ(figure("stock"), "7");
  EXPECT_EQ(figure("sold"), "3");
  world_.refused(404, "sell", R"({"sku":"none","quantity":8})");
  const auto& plan = world_.runtime->plan(world_.operation("sell"));
  EXPECT_EQ(plan.steps.size(), 1u);  // nothing is read first
}

TEST_F(OnlineShop, add_stays_within_the_range) {
  world_.ok("restock", R"({"sku":"a","quantity":990})");
  world_.refused(409, "restock", R"({"sku":"a","quantity":1})");
  EXPECT_EQ(figure("stock"), "1000");
  EXPECT_EQ(world_.faults(), Strings());
}

TEST_F(OnlineShop, arithmetic_in_a_condition_is_evaluated) {
  world_.refused(409, "sellIfEnough", R"({"sku":"a","quantity":6,"reserve":5})");
  world_.ok("sellIfEnough", R"({"sku":"a","quantity":5,"reserve":5})");
  EXPECT_EQ(figure("stock"), "5");
  // A condition on two fields and a value: the item is read, and the write is conditional on the values read.
  world_.refused(409, "sellUnlessSold", R"({"sku":"a","quantity":1,"most":4})");
  world_.ok("sellUnlessSold", R"({"sku":"a","quantity":1,"most":5})");
  EXPECT_EQ(figure("stock"), "4");
  EXPECT_EQ(figure("sold"), "1");
}

TEST_F(OnlineShop, what_dynamodb_cannot_compute_is_computed_from_what_was_read) {
  world_.ok("halve", R"({"sku":"a"})");
  EXPECT_EQ(figure("stock"), "5");
  world_.ok("tag", R"({"sku":"a","tag":"new"})");
  world_.ok("tag", R"({"sku":"a","tag":"red"})");
  EXPECT_EQ(plain_json(world_.ok("product", R"({"sku":"a"})")["item"].member("tags")), R"(["new","red"])");
}

TEST_F(OnlineShop, raw_reads_run_with_their_values) {
  world_.ok("addOrder", R"({"order":"p1","email":"a@b.org","status":"open"})");
  line(1, 1, 1);
  line(2, 1, 1);
  line(3, 1, 1);
  EXPECT_EQ(world_.ok("ordersOfStatus", R"({"status":"open"})")["items"].elements().size(), 2u);
  const Reply some = world_.ok("ordersByStatus", R"({"status":"open","start":"o"})");
  ASSERT_EQ(some["items"].elements().size(), 1u);
  EXPECT_EQ(some["items"].elements()[0].member("order").string(), "o1");
  EXPECT_EQ(world_.walk("partOfOrder", R"({"order":"o1","from":"002","to":"003"})", 1).size(), 2u);
}

TEST_F(OnlineShop, an_item_that_is_too_large_is_the_callers_mistake) {
  const Reply reply = world_.call("addPage", fmt::format(R"({{"page":"p","body":"{}"}})", std::string(450'000, 'x')));
  EXPECT_EQ(reply.status, 400) << reply.message;
  EXPECT_NE(reply.message.find("body"), std::string::npos) << reply.message;
}

TEST_F(OnlineShop, dropping_the_parent_with_what_it_counts) {
  world_.ok("wish", R"({"sku":"a","user":"u1"})");
  world_.ok("review", R"({"sku":"a","user":"u1","rating":3})");
  world_.ok("dropProduct", R"({"sku":"a"})");
  EXPECT_EQ(world_.count("shop-main"), 1u);
}

}  // namespace
}  // namespace trestle::runtime
