// Emails and domains that another program stored without folding them to lower case.
#include <fmt/format.h>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr const char* kSpelledPeople = R"y(design: people
version: 1
tables: {t: {key: [PK, SK], type: Type, indexes: {GSI1: {key: [G1P, G1S]}}}}
types: {W: "string([a-z], 1..5)"}
entities:
  E:
    key: ["E#{k}", E]
    fields: {k: W, s: W optional, mail: email optional, dom: domain optional, doms: "set<domain>(..4) optional"}
    additional: true
    unique: {mail: {key: "M#{mail}", keeps: [k, s]}}
    index: {byDom: {on: GSI1, key: ["X#{dom}", "{k}"]}}
    each: {doms: C.dom}
  C: {key: ["C#{dom}", "{k}"], fields: {dom: domain, k: W}}
  N: {key: ["E#{k}", "N#{n}"], fields: {k: W, n: W}}
  D: {key: ["D#{dom}", D], fields: {dom: domain, n: counter}}
tallies: {t: {of: E, into: D, by: {dom: dom}, add: {n: 1}}}
reads: {e: {get: E}, byMail: {get: E.mail}, d: {get: D}, byDom: {query: E.byDom}, all: {query: [E, N]}}
writes:
  create: {put: E, if: absent, else: 409}
  replace: {put: E, additional: true}
  edit: {update: E, else: 404}
  drop: {delete: E}
)y";

struct ForeignSpelling : testing::Test {
  ForeignSpelling() {
    put({{"PK", "E#a"}, {"SK", "E"}, {"Type", "E"}, {"k", "a"}, {"mail", "Ann@x.com"}});
    put({{"PK", "M#Ann@x.com"}, {"SK", "M#Ann@x.com"}, {"Type", "E.mail"}, {"k", "a"}});
  }
  void put(const std::vector<std::pair<std::string, std::string>>& attributes) {
    std::vector<std::pair<std::string, Value>> values;
    for (const auto& [name, value] : attributes) values.emplace_back(name, Value::string(value));
    std::vector<Field> fields;
    for (const auto& [name, value] : values) fields.push_back({name, value.view()});
    EXPECT_TRUE(world.engine->put_item({.table_name = "t", .item = Item(std::move(fields))}).has_value());
  }
  std::string faults(bool repair = false) { return fmt::format("{}", fmt::join(world.faults(repair), "\n")); }
  std::string guard(const std::string& mail) { return world.attribute("t", "M#" + mail, "M#" + mail, "k"); }
  DesignWorld world{kSpelledPeople};
};

TEST_F(ForeignSpelling, a_guard_is_replaced_by_one_with_the_folded_value) {
  EXPECT_EQ(faults(), "");
  world.ok("edit", R"({"k":"a","mail":"ann@x.com"})");
  EXPECT_EQ(guard("Ann@x.com"), "");
  EXPECT_EQ(world.ok("byMail", R"({"mail":"ann@x.com"})")["item"].member("k").string(), "a");
  world.refused(409, "create", R"({"k":"b","mail":"ann@x.com"})");
  EXPECT_EQ(faults(), "");
}

TEST_F(ForeignSpelling, a_guard_is_kept_and_refreshed_while_the_value_stays) {
  world.ok("edit", R"({"k":"a","s":"new"})");
  EXPECT_EQ(world.attribute("t", "M#Ann@x.com", "M#Ann@x.com", "s"), "new");
  EXPECT_EQ(faults(), "");
  world.ok("drop", R"({"k":"a"})");
  EXPECT_EQ(guard("Ann@x.com"), "");
  EXPECT_EQ(world.count("t"), 0u);
}

TEST_F(ForeignSpelling, a_replaced_item_gives_up_its_guard) {
  world.ok("replace", R"({"k":"a","mail":"bea@x.com"})");
  EXPECT_EQ(guard("Ann@x.com"), "");
  EXPECT_EQ(guard("bea@x.com"), "a");
  EXPECT_EQ(faults(), "");
}

TEST_F(ForeignSpelling, a_repaired_item_is_found_to_be_good) {
  put({{"PK", "E#b"}, {"SK", "E"}, {"Type", "E"}, {"k", "b"}, {"mail", "Bob@x.com"}, {"dom", "X.com"}});
  EXPECT_NE(faults(), "");
  EXPECT_NE(faults(true), "");
  EXPECT_EQ(faults(), "");
  world.ok("edit", R"({"k":"b","mail":"bob@x.com","dom":"x.com"})");
  EXPECT_EQ(world.ok("d", R"({"dom":"x.com"})")["item"].member("n").string(), "1");
  EXPECT_EQ(world.ok("byDom", R"({"dom":"x.com"})")["items"].elements().size(), 1u);
  EXPECT_EQ(faults(), "");
}

TEST_F(ForeignSpelling, an_item_without_its_guard_can_be_edited) {
  put({{"PK", "E#c"}, {"SK", "E"}, {"Type", "E"}, {"k", "c"}, {"mail", "Cy@x.com"}});
  world.ok("edit", R"({"k":"c","mail":"cy@x.com"})");
  EXPECT_EQ(guard("cy@x.com"), "c");
  EXPECT_EQ(faults(), "");
}

TEST_F(ForeignSpelling, children_are_replaced_when_their_member_is) {
  put({{"PK", "E#d"}, {"SK", "E"}, {"Type", "E"}, {"k", "d"}});
  UpdateItemRequest request{.table_name = "t", .key = Item({{"PK", Value::string("E#d")}, {"SK", Value::string("E")}})};
  request.update_expression = "SET doms = :d";
  const Value doms = *to_value(Plain::set({Plain::text("X.com"), Plain::text("y.com")}), ValueType::kStringSet);
  request.placeholders.values = ValueMap{{":d", doms}};
  ASSERT_TRUE(world.engine->update_item(request).has_value());
  put({{"PK", "C#X.com"}, {"SK", "d"}, {"Type", "C"}, {"dom", "X.com"}, {"k", "d"}});
  put({{"PK", "C#y.com"}, {"SK", "d"}, {"Type", "C"}, {"dom", "y.com"}, {"k", "d"}});
  world.ok("edit", R"({"k":"d","doms":["x.com","y.com"]})");
  EXPECT_EQ(world.attribute("t", "C#X.com", "d", "k"), "");
  EXPECT_EQ(world.attribute("t", "C#x.com", "d", "k"), "d");
  EXPECT_EQ(faults(), "");
}

TEST_F(ForeignSpelling, a_query_of_several_entities_returns_additional_attributes) {
  world.ok("replace", R"({"k":"z","color":"red"})");
  EXPECT_EQ(world.ok("all", R"({"k":"z"})").json, R"({"items":[{"_entity":"E","k":"z","color":"red"}]})");
}

}  // namespace
}  // namespace trestle::runtime
