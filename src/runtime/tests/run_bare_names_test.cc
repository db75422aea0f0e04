// What a bare name means in a write: in an update the value before it, in a put and in a default the value of the new
// item, in a copy the value of the item that is copied. What follows from a field follows from its new value.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

using Strings = std::vector<std::string>;

class BareNames : public testing::Test {
 protected:
  // The field of the item that the read finds.
  std::string field(const char* read, const std::string& key, const char* name) {
    const Reply reply = world_.ok(read, key);
    const Plain& value = reply["item"].member(name);
    if (value.is(Plain::Kind::kText) || value.is(Plain::Kind::kNumber)) return value.string();
    return value.exists() ? plain_json(value) : "(absent)";
  }
  std::string card(const char* name) { return field("card", R"({"id":"c"})", name); }
  void TearDown() override { EXPECT_EQ(world_.faults(), Strings()); }

  DesignWorld world_{test_design("bare-names")};
};

TEST_F(BareNames, a_field_that_is_a_sum_has_its_old_value_in_other_values) {
  world_.ok("issue", R"({"id":"c"})");
  world_.ok("pay", R"({"id":"c","amount":40})");
  EXPECT_EQ(card("balance"), "60");
  EXPECT_EQ(card("previous"), "100");
  EXPECT_EQ(card("status"), "active");
  world_.refused(422, "pay", R"({"id":"c","amount":61})");
  world_.ok("pay", R"({"id":"c","amount":60})");
  EXPECT_EQ(card("balance"), "0");
  EXPECT_EQ(card("previous"), "60");
  EXPECT_EQ(card("status"), "spent");
  EXPECT_EQ(field("group", R"({"status":"spent"})", "cards"), "1");
}

TEST_F(BareNames, a_field_that_is_added_to_has_its_old_value_in_other_values) {
  world_.ok("issue", R"({"id":"c"})");
  world_.ok("payMore", R"({"id":"c","amount":40})");
  EXPECT_EQ(card("balance") + "," + card("previous"), "60,100");
  world_.refused(422, "payMore", R"({"id":"c","amount":61})");
}

TEST_F(BareNames, amounts_and_members_of_maps_use_old_values) {
  world_.ok("issue", R"({"id":"c"})");
  world_.ok("count", R"({"id":"c"})");
  world_.ok("count", R"({"id":"c"})");
  EXPECT_EQ(card("total"), "201");
  world_.ok("hit", R"({"id":"c"})");
  world_.ok("hit", R"({"id":"c"})");
  EXPECT_EQ(card("x"), "3");
  EXPECT_EQ(card("hits"), R"({"active":2})");
  EXPECT_EQ(field("group", R"({"status":"active"})", "x"), "3");
  world_.ok("hitMore", R"({"id":"c"})");
  EXPECT_EQ(card("hits"), R"({"active":104})");
}

TEST_F(BareNames, two_fields_can_be_swapped) {
  world_.ok("issue", R"({"id":"c"})");
  world_.ok("swap", R"({"id":"c"})");
  EXPECT_EQ(card("x") + card("y"), "21");
  world_.ok("fibonacci", R"({"id":"c"})");
  EXPECT_EQ(card("x") + card("y"), "32");
  EXPECT_EQ(field("group", R"({"status":"active"})", "x"), "3");
}

TEST_F(BareNames, a_field_set_from_an_input_has_its_old_value_however_the_write_is_written) {
  world_.ok("issue", R"({"id":"c","slug":"s"})");
  world_.ok("become", R"({"id":"c","status":"low"})");
  EXPECT_EQ(card("status") + card("was") + card("history"), R"(lowactive["active"])");
  world_.ok("becomeShort", R"({"id":"c","status":"spent"})");
  EXPECT_EQ(card("status") + card("was"), "spentlow");
}

TEST_F(BareNames, keys_guards_and_expiry_follow_what_is_computed_from_old_values) {
  world_.ok("issue", R"({"id":"c"})");
  for (const char* code : {"low", "low", "high"}) {
    world_.ok("label", R"({"id":"c"})");
    EXPECT_EQ(card("code"), code);
    EXPECT_EQ(world_.ok("byCode", fmt::format(R"({{"code":"{}"}})", code))["items"].elements().size(), 1u);
  }
  EXPECT_EQ(card("slug"), "c-102");
  EXPECT_EQ(field("bySlug", R"({"slug":"c-102"})", "balance"), "103");
  world_.refused(404, "bySlug", R"({"slug":"c-101"})");
  world_.ok("sell", R"({"id":"t"})");
  const auto expiry = [&] { return world_.attribute("names", "TICKET#t", "TICKET", "ttl"); };
  world_.ok("use", R"({"id":"t"})");
  EXPECT_EQ(expiry(), "");
  world_.ok("use", R"({"id":"t"})");
  EXPECT_EQ(expiry(), std::to_string(kTestNowMs / 1000 + 3600));
  world_.refused(409, "use", R"({"id":"t"})");
  EXPECT_EQ(field("ticket", R"({"id":"t"})", "left"), "0");
}

TEST_F(BareNames, an_upsert_of_a_new_item_begins_with_the_defaults) {
  world_.ok("rise", R"({"id":"c"})");
  EXPECT_EQ(card("x") + card("y"), "21");
  EXPECT_EQ(card("previous"), "100");
  EXPECT_EQ(card("total"), "1");
  world_.ok("rise", R"({"id":"c"})");
  EXPECT_EQ(card("x") + card("y"), "32");
  EXPECT_EQ(card("total"), "3");
  EXPECT_EQ(field("group", R"({"status":"active"})", "x"), "3");
  // The default of `total` is computed from the new item: 4 * (1 + 1).
  world_.ok("fill", R"({"id":"s","part":"pq","tag":"w"})");
  const std::string key = R"({"id":"s","part":"pq"})";
  EXPECT_EQ(field("sheet", key, "total"), "8");
  EXPECT_EQ(field("sheet", key, "label"), "s-w");
  world_.ok("fill", R"({"id":"s","part":"pq","tag":"v"})");
  EXPECT_EQ(field("sheet", key, "quantity"), "3");
  EXPECT_EQ(field("sheet", key, "total"), "8");
  EXPECT_EQ(field("sheet", key, "label"), "s-w");
}

TEST_F(BareNames, defaults_do_not_depend_on_the_order_of_declaration) {
  world_.ok("draft", R"({"id":"s"})");
  const std::string key = R"({"id":"s","part":"pq"})";
  EXPECT_EQ(field("sheet", key, "total"), "4");
  EXPECT_EQ(field("byLabel", R"({"label":"s-q"})", "price"), "4");
  EXPECT_EQ(world_.ok("sheets", "{}")["items"].elements().size(), 1u);
  world_.refused(409, "draft", R"({"id":"s"})");
  world_.ok("draft", R"({"id":"r","base":9,"tag":"w"})");
  EXPECT_EQ(field("sheet", R"({"id":"r","part":"pw"})", "total"), "10");
}

TEST_F(BareNames, a_put_computes_its_values_from_the_new_item) {
  world_.ok("redraft", R"({"id":"s","part":"a","p":7})");
  const std::string key = R"({"id":"s","part":"a"})";
  EXPECT_EQ(field("sheet", key, "total"), "21");
  EXPECT_EQ(field("sheet", key, "note"), "q21");
  EXPECT_EQ(field("sheet", key, "copied"), field("sheet", key, "serial"));
  world_.ok("redraft", R"({"id":"s","part":"a","p":8})");
  EXPECT_EQ(field("sheet", key, "total"), "24");
  // The key itself is computed, and the replaced item, whose guard goes, is read under it.
  world_.ok("replace", R"({"id":"k","n":5})");
  world_.ok("replace", R"({"id":"k","n":5})");
  EXPECT_EQ(field("sheet", R"({"id":"k","part":"pt5"})", "label"), "k-t5");
}

TEST_F(BareNames, a_copy_computes_its_values_from_the_item_that_is_copied) {
  world_.ok("write", R"({"id":"d","v":1,"title":"one","edits":4,"tag":"x"})");
  world_.ok("nextVersion", R"({"id":"d","v":1,"to":2})");
  const std::string key = R"({"id":"d","v":2})";
  EXPECT_EQ(field("doc", key, "edits"), "5");
  EXPECT_EQ(field("doc", key, "title") + field("doc", key, "tag"), "x!one");
  EXPECT_EQ(field("doc", key, "older"), "1");
}

TEST_F(BareNames, an_absent_input_of_a_sum_leaves_the_field_and_its_entry) {
  world_.ok("stockUp", R"({"id":"i","shelf":"a","n":5})");
  world_.ok("move", R"({"id":"i"})");
  world_.ok("move", R"({"id":"i","by":3})");
  world_.ok("move", R"({"id":"i"})");
  EXPECT_EQ(field("stock", R"({"id":"i"})", "n"), "8");
  EXPECT_EQ(field("stock", R"({"id":"i"})", "m"), "4");
  EXPECT_EQ(world_.ok("shelf", R"({"shelf":"a"})")["items"].elements().size(), 1u);
  world_.refused(409, "move", R"({"id":"i","by":6})");
}

TEST_F(BareNames, a_new_item_has_the_default_of_a_required_field_whose_input_is_absent) {
  for (const char* write : {"limit", "reissue"}) {
    world_.ok(write, R"({"id":"c"})");
    EXPECT_EQ(card("balance") + card("x"), "1001") << write;
    EXPECT_EQ(field("group", R"({"status":"active"})", "x"), "1") << write;
  }
  world_.ok("limit", R"({"id":"c","balance":7,"x":4})");
  world_.ok("limit", R"({"id":"c"})");
  EXPECT_EQ(card("balance") + card("x"), "75");
  world_.ok("reissue", R"({"id":"c","more":4})");
  EXPECT_EQ(card("balance") + card("x"), "1006");
}

}  // namespace
}  // namespace trestle::runtime
