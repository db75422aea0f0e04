// Map members that are set, added to and removed, with names from inputs.
#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr std::string_view kPages = R"y(design: pages
version: 1
tables: {t: {key: [PK, SK], billing: on-demand}}
entities:
  Page:
    table: t
    key: ["PAGE#{id}", X]
    fields: {id: "string([a-z], 1..9)", marks: map<int> optional, notes: map<string> optional, due: map<epoch> optional, mails: map<email> optional, any: any optional, title: "string = 't'", score: int(0..9) = 0, left: number optional, labels: "set<string> optional"}
reads:
  page: {get: Page}
writes:
  make: {put: Page, if: absent, else: 409}
  mark:
    takes: {id: Page.id, name: string, value: int optional}
    steps: [{update: Page, set: {"marks[$name]": $value}, else: 404}]
  markTwo:
    takes: {id: Page.id, one: string, other: string, value: int optional, second: int optional}
    steps: [{update: Page, set: {"marks[$one]": $value, "marks[$other]": $second}, else: 404}]
  markOrCreate:
    takes: {id: Page.id, name: string, value: int optional}
    steps: [{upsert: Page, set: {"marks[$name]": $value}}]
  note:
    takes: {id: Page.id, name: string, text: string optional}
    steps: [{update: Page, set: {"notes[$name]": $text}, else: 404}]
  setDue:
    takes: {id: Page.id, name: string, at: epoch optional}
    steps: [{update: Page, set: {"due[$name]": $at}, else: 404}]
  setDueNow:
    takes: {id: Page.id, name: string}
    steps: [{update: Page, set: {"due[$name]": "now + 1h"}, else: 404}]
  setMail:
    takes: {id: Page.id, name: string, mail: email optional}
    steps: [{update: Page, set: {"mails[$name]": $mail}, else: 404}]
  setAny:
    takes: {id: Page.id, name: string, value: any optional}
    steps: [{update: Page, set: {"any[$name]": $value}, else: 404}]
  count:
    takes: {id: Page.id, name: string, by: int optional}
    steps: [{update: Page, add: {"marks[$name]": $by}, else: 404}]
  addScore:
    takes: {id: Page.id, by: int optional}
    steps: [{update: Page, add: {score: $by}, else: 404}]
  addLeft:
    takes: {id: Page.id, by: int optional}
    steps: [{update: Page, add: {left: $by}, else: 404}]
  label:
    takes: {id: Page.id, labels: set<string> optional}
    steps: [{update: Page, add: {labels: $labels}, else: 404}]
  unlabel:
    takes: {id: Page.id, labels: set<string> optional}
    steps: [{update: Page, take: {labels: $labels}, else: 404}]
  markInTwoSteps:
    takes: {id: Page.id, one: string, other: string, value: int optional, second: int optional}
    steps:
      - atomic:
          - {update: Page, set: {"marks[$one]": $value}, else: 404}
          - {update: Page, set: {"marks[$other]": $second}, else: 404}
  markAndCount:
    takes: {id: Page.id, one: string, other: string, value: int optional}
    steps:
      - atomic:
          - {update: Page, set: {"marks[$one]": $value}, else: 404}
          - {update: Page, add: {"marks[$other]": 1}, else: 404}
  markEach:
    takes: {id: Page.id, marks: "list<Mark>(..9)"}
    steps:
      - atomic:
          - for: $marks
            as: one
            do: [{update: Page, by: {id: $id}, set: {"marks[$one.name]": $one.value}, else: 404}]
  markScore:
    takes: {id: Page.id, name: string}
    steps: [{update: Page, set: {"marks[$name]": score}, else: 404}]
  markDouble:
    takes: {id: Page.id, name: string}
    steps: [{update: Page, set: {"marks[$name]": "coalesce(marks[$name], 0) * 2 + 1"}, else: 404}]
  markById:
    takes: {id: Page.id}
    steps: [{update: Page, set: {"marks[id]": 1}, else: 404}]
  addScoreToLeft:
    takes: {id: Page.id}
    steps: [{update: Page, add: {left: score}, else: 404}]
  countScore:
    takes: {id: Page.id, name: string}
    steps: [{update: Page, add: {"marks[$name]": score}, else: 404}]
  countTwo:
    takes: {id: Page.id, one: string, other: string}
    steps: [{update: Page, add: {"marks[$one]": 1, "marks[$other]": 10}, else: 404}]
  labelTitle:
    takes: {id: Page.id}
    steps: [{update: Page, add: {labels: title}, else: 404}]
  rename:
    takes: {id: Page.id, from: string, to: string, value: int}
    steps: [{update: Page, set: {"marks[$from]": null, "marks[$to]": $value}, else: 404}]
types:
  Mark: {name: string, value: int}
)y";

class Members : public testing::Test {
 protected:
  Members() { world.ok("make", R"({"id":"a"})"); }
  // Calls the operation with the page's id and these inputs; returns the field afterwards.
  std::string after(const std::string& operation, const std::string& inputs, std::string_view field = "marks") {
    world.ok(operation, R"({"id":"a")" + (inputs.empty() ? "" : "," + inputs) + "}");
    return plain_json(world.ok("page", R"({"id":"a"})")["item"].member(field));
  }

  DesignWorld world{std::string(kPages)};
};

TEST_F(Members, null_removes_a_member) {
  EXPECT_EQ(after("mark", R"("name":"x","value":null)"), "null");  // there is no map
  EXPECT_EQ(after("mark", R"("name":"x","value":1)"), R"({"x":1})");
  EXPECT_EQ(after("mark", R"("name":"y","value":2)"), R"({"x":1,"y":2})");
  EXPECT_EQ(after("mark", R"("name":"x")"), R"({"x":1,"y":2})");
  EXPECT_EQ(after("mark", R"("name":"x","value":null)"), R"({"y":2})");
  EXPECT_EQ(after("mark", R"("name":"x","value":null)"), R"({"y":2})");
  EXPECT_EQ(after("markOrCreate", R"("name":"y","value":null)"), "{}");
  EXPECT_EQ(after("setAny", R"("name":"x","value":{"a":1})", "any"), R"({"x":{"a":1}})");
  EXPECT_EQ(after("setAny", R"("name":"x","value":null)", "any"), "{}");
  world.refused(404, "mark", R"({"id":"none","name":"x","value":null})");
  world.ok("markOrCreate", R"({"id":"new","name":"x","value":null})");
  EXPECT_TRUE(world.ok("page", R"({"id":"new"})")["item"].member("marks").is_absent());
}

TEST_F(Members, two_of_one_map_in_one_update) {
  EXPECT_EQ(after("markTwo", R"("one":"x","other":"y","value":1,"second":2)"), R"({"x":1,"y":2})");
  EXPECT_EQ(after("markTwo", R"("one":"x","other":"y","value":3)"), R"({"x":3,"y":2})");
  EXPECT_EQ(after("markTwo", R"("one":"x","other":"y","second":4)"), R"({"x":3,"y":4})");
  EXPECT_EQ(after("markTwo", R"("one":"x","other":"y","value":null,"second":5)"), R"({"y":5})");
  EXPECT_EQ(after("markTwo", R"("one":"x","other":"y","value":6,"second":null)"), R"({"x":6})");
  EXPECT_EQ(after("markTwo", R"("one":"z","other":"z","value":7,"second":7)"), R"({"x":6,"z":7})");
  world.refused(400, "markTwo", R"({"id":"a","one":"z","other":"z","value":7,"second":8})");
  EXPECT_EQ(after("rename", R"("from":"x","to":"w","value":6)"), R"({"w":6,"z":7})");
  world.refused(400, "rename", R"({"id":"a","from":"x","to":"x","value":6})");
  world.ok("make", R"({"id":"b"})");
  EXPECT_EQ(plain_json(world.ok("rename", R"({"id":"b","from":"x","to":"w","value":6})")["item"].member("marks")),
            R"({"w":6})");
}

TEST_F(Members, two_are_added_to_in_one_update) {
  EXPECT_EQ(after("countTwo", R"("one":"x","other":"y")"), R"({"x":1,"y":10})");
  EXPECT_EQ(after("countTwo", R"("one":"x","other":"y")"), R"({"x":2,"y":20})");
  EXPECT_EQ(after("countTwo", R"("one":"x","other":"x")"), R"({"x":13,"y":20})");
}

TEST_F(Members, an_addition_of_null_adds_nothing) {
  EXPECT_EQ(after("count", R"("name":"x","by":2)"), R"({"x":2})");
  EXPECT_EQ(after("count", R"("name":"x","by":null)"), R"({"x":2})");
  EXPECT_EQ(after("addScore", R"("by":2)", "score"), "2");
  EXPECT_EQ(after("addScore", R"("by":null)", "score"), "2");
  EXPECT_EQ(after("addLeft", R"("by":null)", "left"), "null");
  EXPECT_EQ(after("label", R"("labels":["a","b"])", "labels"), R"(["a","b"])");
  EXPECT_EQ(after("label", R"("labels":null)", "labels"), R"(["a","b"])");
  EXPECT_EQ(after("unlabel", R"("labels":null)", "labels"), R"(["a","b"])");
}

TEST_F(Members, are_stored_as_their_type_says) {
  EXPECT_EQ(after("setDue", R"("name":"x","at":1768478400)", "due"), R"({"x":1768478400})");
  EXPECT_EQ(after("setDueNow", R"("name":"y")", "due"), R"({"x":1768478400,"y":1768482000})");
  EXPECT_EQ(after("setDue", R"("name":"x","at":null)", "due"), R"({"y":1768482000})");
  EXPECT_EQ(after("setMail", R"("name":"x","mail":"Ann@Example.ORG")", "mails"), R"({"x":"ann@example.org"})");
  EXPECT_EQ(after("note", R"("name":"x","text":"1")", "notes"), R"({"x":"1"})");
}

TEST_F(Members, in_two_actions_on_one_item) {
  EXPECT_EQ(after("markInTwoSteps", R"("one":"x","other":"y","value":1,"second":2)"), R"({"x":1,"y":2})");
  EXPECT_EQ(after("markInTwoSteps", R"("one":"x","other":"y","value":null,"second":3)"), R"({"y":3})");
  EXPECT_EQ(after("markInTwoSteps", R"("one":"x","other":"x","value":4,"second":4)"), R"({"x":4,"y":3})");
  world.refused(400, "markInTwoSteps", R"({"id":"a","one":"x","other":"x","value":4,"second":5})");
  EXPECT_EQ(after("markAndCount", R"("one":"x","other":"y","value":7)"), R"({"x":7,"y":4})");
  world.refused(400, "markAndCount", R"({"id":"a","one":"x","other":"x","value":7})");
  EXPECT_EQ(after("markEach", R"("marks":[{"name":"m","value":1},{"name":"n","value":2}])"),
            R"({"m":1,"n":2,"x":7,"y":4})");
  world.refused(400, "markEach", R"({"id":"a","marks":[{"name":"m","value":1},{"name":"m","value":2}]})");
}

TEST_F(Members, values_computed_from_the_item) {
  EXPECT_EQ(after("addScore", R"("by":3)", "score"), "3");
  EXPECT_EQ(after("markScore", R"("name":"x")"), R"({"x":3})");
  EXPECT_EQ(after("markDouble", R"("name":"x")"), R"({"x":7})");
  EXPECT_EQ(after("markDouble", R"("name":"y")"), R"({"x":7,"y":1})");
  EXPECT_EQ(after("markById", ""), R"({"a":1,"x":7,"y":1})");
  EXPECT_EQ(after("addScoreToLeft", "", "left"), "3");
  EXPECT_EQ(after("labelTitle", "", "labels"), R"(["t"])");
  EXPECT_EQ(after("countScore", R"("name":"y")"), R"({"a":1,"x":7,"y":4})");
}

// What is stored in a field of type `any` is known only when it is changed.
TEST_F(Members, of_a_value_that_is_no_map_are_refused) {
  world.ok("make", R"({"id":"c","any":"text"})");
  world.refused(409, "setAny", R"({"id":"c","name":"k","value":1})");
  world.ok("make", R"({"id":"b","any":{"k":0}})");
  world.ok("setAny", R"({"id":"b","name":"k","value":1})");
}

}  // namespace
}  // namespace trestle::runtime
