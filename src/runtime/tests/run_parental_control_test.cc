// The parental-control design, operation by operation, on the engine.
#include <fmt/format.h>

#include <thread>

#include "runtime/design_world_for_test.h"

namespace trestle::runtime {
namespace {

constexpr const char* kChild = R"("childPhoneNumber":"+15551234567")";

class ParentalControl : public testing::Test {
 protected:
  std::string policy(const std::string& more) {
    return fmt::format(
        R"({{{},"parentEmail":"p@x.org","blockedApps":[{{"appName":"Chat","ports":[{{"port":443,"protocol":"TCP"}}],
        "domains":["*.chat.com"],"ipRanges":["10.0.0.0/8"]}}],"timeWindows":[{{"startTime":"22:00","endTime":"06:00",
        "days":["MON","TUE","WED","THU","FRI","SAT","SUN"]}}]{}}})",
        kChild, more);
  }
  DesignWorld world{"parental-control"};
};

TEST_F(ParentalControl, policies_are_stored_by_child_and_parent) {
  world.ok("createPolicy", policy(R"(,"policyId":"p1")"));
  world.refused(409, "createPolicy", policy(R"(,"policyId":"p1")"));
  const std::string result = world.ok("createPolicy", policy(""))["item"].member("policyId").string();
  EXPECT_EQ(result.size(), 26u);
  EXPECT_EQ(world.walk("policiesOfChild", fmt::format("{{{}}}", kChild), 1).size(), 2u);
  EXPECT_EQ(world.walk("policiesOfParent", R"({"parentEmail":"P@x.org"})", 1).size(), 2u);
  const auto updated =
      world.ok("updatePolicy", fmt::format(R"({{{},"policyId":"p1","parentEmail":"q@x.org","notes":"n"}})", kChild));
  EXPECT_EQ(updated["item"].member("notes").string(), "n");
  EXPECT_EQ(world.walk("policiesOfParent", R"({"parentEmail":"p@x.org"})", 1).size(), 1u);
  EXPECT_EQ(world.walk("policiesOfParent", R"({"parentEmail":"q@x.org"})", 1).size(), 1u);
  world.refused(404, "updatePolicy", fmt::format(R"({{{},"policyId":"none","notes":"n"}})", kChild));
  EXPECT_EQ(world.ok("policy", fmt::format(R"({{{},"policyId":"p1"}})", kChild))["item"].member("timezone").string(),
            "UTC");
}

TEST_F(ParentalControl, what_is_blocked_now) {
  world.ok("createPolicy", policy(R"(,"policyId":"p1")"));
  const auto at = [&](const std::string& time) {
    return world.ok("blockedNow", fmt::format(R"({{{},"at":"{}"}})", kChild, time));
  };
  EXPECT_EQ(at("2026-01-15T23:00:00Z")["apps"].elements().size(), 1u);
  EXPECT_EQ(at("2026-01-15T12:00:00Z")["apps"].elements().size(), 0u);
  world.ok("updatePolicy", fmt::format(R"({{{},"policyId":"p1","status":"inactive"}})", kChild));
  EXPECT_EQ(at("2026-01-15T23:00:00Z")["apps"].elements().size(), 0u);
}

TEST_F(ParentalControl, apps_are_listed_by_scan) {
  for (int i = 0; i < 7; ++i) world.ok("registerApp", fmt::format(R"({{"appName":"App {}","popularity":{}}})", i, i));
  EXPECT_EQ(world.walk("apps", "{}", 3).size(), 7u);
  EXPECT_EQ(world.ok("app", R"({"appName":"App 3"})")["item"].member("popularity").string(), "3");
  world.refused(404, "app", R"({"appName":"App 9"})");
}

TEST_F(ParentalControl, two_enforcements_in_one_second_both_live_for_ninety_days) {
  for (const char* status : {"success", "failed"})
    world.ok("recordEnforcement", fmt::format(R"({{{},"action":"block","status":"{}"}})", kChild, status));
  world.ok("recordEnforcement",
           fmt::format(R"({{{},"action":"block","status":"failed","timestamp":"2026-01-10T00:00:00Z"}})", kChild));
  const auto count = [&](const std::string& more) {
    return world.walk("enforcementHistory", fmt::format("{{{}{}}}", kChild, more), 2).size();
  };
  EXPECT_EQ(count(""), 3u);
  EXPECT_EQ(count(R"(,"from":"2026-01-15T12:00:00Z","to":"2026-01-15T12:00:00Z")"), 2u);
  EXPECT_EQ(count(R"(,"to":"2026-01-14T12:00:00Z")"), 1u);
  const auto failed = world.walk("failedEnforcements", "{}", 1);
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_EQ(failed[0].member("timestamp").string(), "2026-01-10T00:00:00Z");
  world.clock.advance_ms(int64_t{86} * 86'400'000);
  EXPECT_EQ(count(""), 2u);
  EXPECT_EQ(world.walk("failedEnforcements", "{}", 5).size(), 1u);
}

TEST_F(ParentalControl, blocked_requests_are_counted_by_day_and_hour) {
  const auto record = [&](const std::string& at, const std::string& app = "Chat") {
    return world.ok("recordBlocked",
                    fmt::format(R"({{{},"appName":"{}","parentEmail":"p@x.org","at":"{}"}})", kChild, app, at));
  };
  record("2026-01-15T10:30:00Z");
  record("2026-01-15T11:30:00Z");
  record("2026-01-15T09:00:00Z");
  const auto reply = record("2026-01-15T10:59:59Z");
  EXPECT_EQ(reply["item"].member("blockedCount").string(), "4");
  EXPECT_EQ(reply["item"].member("timestampFirst").string(), "2026-01-15T09:00:00Z");
  EXPECT_EQ(reply["item"].member("timestampLast").string(), "2026-01-15T11:30:00Z");
  EXPECT_EQ(plain_json(reply["item"].member("hourly")), R"({"09":1,"10":2,"11":1})");
  record("2026-01-14T10:30:00Z");
  record("2026-01-14T10:30:00Z", "Game");
  EXPECT_EQ(world.walk("dailyMetrics", fmt::format(R"({{{},"date":"2026-01-14"}})", kChild), 1).size(), 2u);
  EXPECT_EQ(world.walk("metricsOfApp", fmt::format(R"({{{},"appName":"Chat"}})", kChild), 1).size(), 2u);
  EXPECT_EQ(world.walk("metricsOfApp", fmt::format(R"({{{},"appName":"Chat","to":"2026-01-14"}})", kChild), 1).size(),
            1u);
  EXPECT_EQ(world.walk("metricsOfParent", R"({"parentEmail":"p@x.org","from":"2026-01-15"})", 1).size(), 1u);
  EXPECT_EQ(world.walk("metricsOfParent", R"({"parentEmail":"p@x.org"})", 2).size(), 3u);
}

TEST_F(ParentalControl, many_recorders_on_one_counter_lose_nothing) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 64; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 20; ++j) {
        world.ok("recordBlocked",
                 fmt::format(R"({{{},"appName":"Chat","parentEmail":"p@x.org","at":"2026-01-15T{:02}:00:{:02}Z"}})",
                             kChild, j, (i * 7 + j) % 60));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const auto items = world.walk("dailyMetrics", fmt::format(R"({{{},"date":"2026-01-15"}})", kChild), 1);
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].member("blockedCount").string(), "1280");
  EXPECT_EQ(items[0].member("hourly").member("07").string(), "64");
  EXPECT_EQ(items[0].member("timestampFirst").string(), "2026-01-15T00:00:00Z");
}

TEST_F(ParentalControl, rules_end_with_their_session) {
  const auto rule = [&](const std::string& id, const std::string& ip, const std::string& ends) {
    return world.ok("saveRule", fmt::format(R"({{{},"ruleId":"{}","privateIP":"{}","appName":"Chat","policyId":"p1",
        "sessionExpiresAt":"{}"}})",
                                            kChild, id, ip, ends));
  };
  rule("r1", "10.0.0.1", "2026-01-15T18:00:00Z");
  rule("r2", "10.0.0.1", "2026-01-15T18:00:00Z");
  rule("r3", "10.0.0.2", "2026-01-15T18:00:00Z");
  rule("r4", "10.0.0.1", "2026-01-15T12:30:00Z");
  EXPECT_EQ(world.walk("rulesOfChild", fmt::format("{{{}}}", kChild), 2).size(), 4u);
  world.clock.advance_ms(3'600'000);
  EXPECT_EQ(world.walk("rulesOfChild", fmt::format("{{{}}}", kChild), 2).size(), 3u);
  world.refused(404, "rule", fmt::format(R"({{{},"ruleId":"r4"}})", kChild));
  const auto ended = world.ok("endSession", fmt::format(R"({{{},"privateIP":"10.0.0.1"}})", kChild));
  EXPECT_EQ(ended["items"].elements().size(), 2u);
  EXPECT_EQ(world.walk("rulesOfChild", fmt::format("{{{}}}", kChild), 2).size(), 1u);
  world.refused(404, "endSession", fmt::format(R"({{{},"privateIP":"10.0.0.1"}})", kChild));
}

TEST_F(ParentalControl, a_call_that_writes_for_each_of_a_list_is_answered_again_by_its_key) {
  world.ok("saveRule", fmt::format(R"({{{},"ruleId":"r1","privateIP":"10.0.0.1","appName":"Chat","policyId":"p1",
      "sessionExpiresAt":"2026-01-15T18:00:00Z"}})",
                                   kChild));
  CallContext context;
  context.idempotency_key = "end of r1";
  const std::string inputs = fmt::format(R"({{{},"privateIP":"10.0.0.1"}})", kChild);
  const Reply first = world.ok("endSession", inputs, context);
  EXPECT_EQ(world.ok("endSession", inputs, context).json, first.json);
  EXPECT_EQ(world.call("endSession", fmt::format(R"({{{},"privateIP":"10.0.0.2"}})", kChild), context).status, 422);
  world.refused(404, "endSession", inputs);
}

}  // namespace
}  // namespace trestle::runtime
