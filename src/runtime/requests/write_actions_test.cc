// Building requests from a plan, inputs and the items read so far, without a Database.
#include "runtime/requests/write_actions.h"

#include <gtest/gtest.h>

#include "design/language/reader.h"
#include "runtime/requests/failed_writes.h"
#include "runtime/requests/merge_actions.h"
#include "runtime/requests/request_values.h"
#include "runtime/requests/write_requests.h"
#include "runtime/requests/write_text.h"
#include "runtime/values/plain_json.h"

namespace trestle::runtime {
namespace {

constexpr int64_t kBuildNowMs = 1'768'478'400'000;  // 2026-01-15T12:00:00Z

constexpr const char* kPagesDesign = R"yaml(
design: pages
version: 1
tables: {t: {key: [PK, SK], billing: on-demand}}
entities:
  Page:
    table: t
    key: ["PAGE#{name}", PAGE]
    fields: {name: "string([a-z], 1..20)", title: string(..50) optional, visits: counter, byDay: map<int> optional}
  Visit:
    table: t
    key: ["PAGE#{name}", "VISIT#{at}"]
    fields: {name: Page.name, at: time, day: "string(1..10)"}
tallies:
  visits: {of: Visit, into: Page, by: {name: name}, add: {visits: 1, "byDay[day]": 1}}
reads:
  page: {get: Page}
  visitsOf: {query: Visit, by: [name], range: at}
writes:
  addPage: {put: Page, if: absent, else: 409}
  setTitle: {update: Page, takes: {name: Page.name, title: Page.title}, set: {title: $title}, else: {status: 404, message: Gone.}}
  addVisit: {put: Visit, if: absent, else: 409}
  setDay: {update: Visit, takes: {name: Page.name, at: Visit.at, day: Visit.day}, set: {day: $day}, else: 404}
)yaml";

class RequestBuilding : public testing::Test {
 protected:
  RequestBuilding() : reading_(design::read_design(kPagesDesign)), codec_(reading_.design, nullptr, nullptr) {
    EXPECT_TRUE(reading_.mistakes.empty()) << (reading_.mistakes.empty() ? "" : reading_.mistakes[0].message);
    state_.now_ms = kBuildNowMs;
  }
  void plan(std::string_view operation, const std::string& inputs) {
    plan_ = std::make_unique<PreparedPlan>(reading_.design, *reading_.design.operation(operation));
    const Plain parsed = parse_plain_json(inputs).value_or(Plain());
    for (const auto& [name, value] : parsed.members()) state_.names[name] = value;
  }
  RequestParts parts() { return {reading_.design, codec_, state_, caller_, newest_id_ms_}; }

  // The actions of the plan's last step, with their expressions.
  std::vector<WriteAction> actions() {
    std::vector<WriteAction> actions;
    const auto added = add_actions(parts(), *plan_, plan_->plan.steps.back().requests, actions);
    EXPECT_TRUE(added.has_value()) << (added ? "" : added.error().message);
    EXPECT_TRUE(merge_actions(actions));
    for (WriteAction& action : actions) EXPECT_TRUE(set_expressions(parts(), action).has_value());
    return actions;
  }
  // Sets the fields of the item that the step reads before the write.
  void found(const std::string& fields) {
    for (const design::PlanStep& step : plan_->plan.steps) {
      if (step.kind == design::PlanStep::Kind::kObserve) state_.names[step.name] = *parse_plain_json(fields);
    }
  }
  static std::string value_in(const WriteAction& action, std::string_view placeholder) {
    for (const auto& [name, value] : action.placeholders.values.value_or(ValueMap())) {
      if (name == placeholder) return plain_json(to_plain(value));
    }
    return "none";
  }
  static std::string name_in(const WriteAction& action, std::string_view placeholder) {
    for (const auto& [name, attribute] : action.placeholders.names.value_or(NameMap())) {
      if (name == placeholder) return attribute;
    }
    return "none";
  }

  design::Reading reading_;
  ItemCodec codec_;
  std::unique_ptr<PreparedPlan> plan_;
  CallState state_;
  Plain caller_;
  std::atomic<int64_t> newest_id_ms_ = -1;
};

TEST_F(RequestBuilding, a_put_has_the_key_of_its_templates_and_the_condition_of_the_plan) {
  plan("addPage", R"({"name":"home","title":"Hello"})");
  const auto all = actions();
  ASSERT_EQ(all.size(), 1U);
  const PutItemRequest request = put_request(all[0]);
  EXPECT_EQ(request.table_name, "t");
  EXPECT_EQ(request.item.find("PK")->scalar(), "PAGE#home");
  EXPECT_EQ(request.item.find("SK")->scalar(), "PAGE");
  EXPECT_EQ(request.item.find("title")->scalar(), "Hello");
  EXPECT_EQ(request.condition.expression, "attribute_not_exists(#PK)");
  EXPECT_EQ(name_in(all[0], "#PK"), "PK");
}

TEST_F(RequestBuilding, a_range_that_ends_before_it_starts_is_not_sent) {
  plan("visitsOf", R"({"name":"home","from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"})");
  const PreparedRequest& prepared = plan_->of(plan_->plan.steps[0].requests[0]);
  const auto query = [&] {
    auto fields = fields_of(parts(), prepared);
    EXPECT_TRUE(fields.has_value());
    auto request = query_request(parts(), prepared, *fields, true);
    EXPECT_TRUE(request.has_value());
    return std::move(*request);
  };
  const auto request = query();
  ASSERT_TRUE(request.has_value());
  EXPECT_FALSE(request->scan_index_forward);
  std::string values;
  for (const auto& [name, value] : *request->placeholders.values) values += plain_json(to_plain(value));
  EXPECT_EQ(values, R"("PAGE#home""VISIT#2026-01-01T00:00:00Z""VISIT#2026-01-02T00:00:00Z")");
  state_.names["to"] = Plain::text("2025-12-31T00:00:00Z");
  EXPECT_FALSE(query().has_value());
}

TEST_F(RequestBuilding, a_failed_condition_is_refused_as_the_plan_says) {
  plan("setTitle", R"({"name":"home","title":"New"})");
  auto all = actions();
  ASSERT_EQ(all.size(), 1U);
  const UpdateItemRequest request = update_request(all[0], true);
  EXPECT_EQ(request.key.find("PK")->scalar(), "PAGE#home");
  EXPECT_EQ(request.return_values, ReturnValues::kAllNew);
  const Error error{.code = ErrorCode::kConditionalCheckFailed, .message = "The conditional request failed"};
  const auto failed = failed_actions(all, error, kBuildNowMs / 1000);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].cause, design::Cause::kAbsent);
  const Refused refused = refused_by(refusal_for(all[0], failed[0].cause), failed[0].cause, nullptr);
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(refused.message, "Gone.");
}

TEST_F(RequestBuilding, a_write_and_its_tally_are_one_transaction) {
  plan("addVisit", R"({"name":"home","at":"2026-01-15T10:00:00Z","day":"Thursday"})");
  const TransactWriteItemsRequest request = transact_request(actions());
  ASSERT_EQ(request.writes.size(), 2U);
  EXPECT_EQ(request.writes[0].kind, TransactWrite::Kind::kPut);
  EXPECT_EQ(request.writes[0].item.find("SK")->scalar(), "VISIT#2026-01-15T10:00:00Z");
  EXPECT_EQ(request.writes[1].kind, TransactWrite::Kind::kUpdate);
  EXPECT_EQ(request.writes[1].item.find("SK")->scalar(), "PAGE");
}

// One is subtracted from the old day and added to the new day, in one update of one map. The clauses of the second
// member have their own placeholders.
TEST_F(RequestBuilding, two_members_of_one_map_are_one_update) {
  plan("setDay", R"({"name":"home","at":"2026-01-15T10:00:00Z","day":"Friday"})");
  found(R"({"name":"home","at":"2026-01-15T10:00:00Z","day":"Thursday"})");
  const auto all = actions();
  ASSERT_EQ(all.size(), 2U);
  const WriteAction& tally = all[1];
  ASSERT_EQ(tally.more_members.size(), 1U);
  std::string member, amount;
  for (const auto& [name, attribute] : *tally.placeholders.names) {
    if (name.ends_with("_also1") && attribute != "byDay") member = name;
  }
  for (const auto& [name, value] : *tally.placeholders.values) {
    if (name.ends_with("_also1") && plain_json(to_plain(value)) != "0") amount = name;
  }
  const std::string own_member = member.substr(0, member.size() - std::string("_also1").size());
  const std::string own_amount = amount.substr(0, amount.size() - std::string("_also1").size());
  EXPECT_EQ(name_in(tally, member) + value_in(tally, amount), "Thursday-1");
  EXPECT_EQ(name_in(tally, own_member) + value_in(tally, own_amount), "Friday1");
  for (const std::string& placeholder : {member, amount}) {
    EXPECT_NE(tally.update.find(placeholder), std::string::npos) << tally.update;
  }
  EXPECT_EQ(tally.update.find("SET "), tally.update.rfind("SET ")) << tally.update;
}

TEST(PlaceholderText, has_a_suffix_behind_every_placeholder) {
  const PlaceholderText text("#a.#b = if_not_exists(#a.#b, :zero) + :n");
  EXPECT_EQ(text.with(""), "#a.#b = if_not_exists(#a.#b, :zero) + :n");
  EXPECT_EQ(text.with("_2"), "#a_2.#b_2 = if_not_exists(#a_2.#b_2, :zero_2) + :n_2");
  EXPECT_EQ(PlaceholderText("attribute_exists(#PK)").with("_2"), "attribute_exists(#PK_2)");
  EXPECT_TRUE(PlaceholderText("").empty());
  EXPECT_EQ(PlaceholderText("").with("_2"), "");
}

}  // namespace
}  // namespace trestle::runtime
