// The form-bridge design, operation by operation, on the engine.
#include <fmt/format.h>

#include <set>
#include <thread>

#include "runtime/design_world_for_test.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {
namespace {

class FormBridge : public testing::Test {
 protected:
  FormBridge() { world.ok("createTenant", R"({"tenant_id":"t1","name":"One"})"); }
  Reply submit(const std::string& more = "") {
    return world.ok("submit", R"({"tenant_id":"t1","form_id":"contact","payload":{"a":1})" + more + "}");
  }
  Reply deliver(const std::string& submission, const std::string& destination, const std::string& status) {
    return world.ok("recordDelivery",
                    fmt::format(R"({{"tenant_id":"t1","submission_id":"{}","destination_id":"{}","status":"{}"}})",
                                submission, destination, status));
  }
  std::string destination() {
    return world.ok("createDestination", R"({"tenant_id":"t1","destination_type":"web"})")["item"]
        .member("destination_id")
        .string();
  }
  std::string status(const std::string& submission) {
    return world.ok("submission", fmt::format(R"({{"tenant_id":"t1","submission_id":"{}"}})", submission))["item"]
        .member("status")
        .string();
  }
  DesignWorld world{"form-bridge"};
};

TEST_F(FormBridge, tenants_destinations_and_domains) {
  world.refused(409, "createTenant", R"({"tenant_id":"t1"})");
  world.ok("createTenant", R"({"tenant_id":"t2","status":"inactive"})");
  EXPECT_EQ(world.walk("activeTenants", "{}", 10).size(), 1u);
  EXPECT_EQ(world.ok("tenantConfig", R"({"tenant_id":"t2"})")["item"].member("status").string(), "inactive");
  world.refused(404, "createDestination", R"({"tenant_id":"nobody","destination_type":"email"})");
  world.ok("createDestination", R"({"tenant_id":"t1","destination_type":"email","config":{"to":"a@b.org"}})");
  world.ok("createDestination", R"({"tenant_id":"t1","destination_type":"slack"})");
  EXPECT_EQ(world.walk("destinations", R"({"tenant_id":"t1"})", 1).size(), 2u);
  const auto typed = world.walk("destinationsByType", R"({"tenant_id":"t1","destination_type":"email"})", 5);
  ASSERT_EQ(typed.size(), 1u);
  EXPECT_EQ(plain_json(typed[0].member("config")), R"({"to":"a@b.org"})");
  world.ok("mapDomain", R"({"tenant_id":"t1","domain":"Example.COM"})");
  world.ok("mapDomain", R"({"tenant_id":"t1","domain":"example.com"})");
  world.refused(409, "mapDomain", R"({"tenant_id":"t2","domain":"example.com"})");
  world.refused(404, "mapDomain", R"({"tenant_id":"t3","domain":"b.com"})");
  EXPECT_EQ(world.ok("tenantByDomain", R"({"domain":"EXAMPLE.com"})")["item"].member("tenant_id").string(), "t1");
}

TEST_F(FormBridge, a_submission_is_found_and_the_same_key_answers_the_first) {
  const auto first = submit(R"(,"idempotency_key":"k1")");
  world.clock.advance_ms(5);
  const auto again = submit(R"(,"idempotency_key":"k1")");
  EXPECT_EQ(first.json, again.json);
  EXPECT_EQ(first.text("timestamp").size(), std::string("2026-01-15T12:00:00.000Z").size());
  EXPECT_NE(submit(R"(,"idempotency_key":"k2")").text("submission_id"), first.text("submission_id"));
  const auto item = world.ok(
      "submission", fmt::format(R"({{"tenant_id":"t1","submission_id":"{}"}})", first.text("submission_id")))["item"];
  EXPECT_EQ(plain_json(item.member("payload")), R"({"a":1})");
  EXPECT_EQ(item.member("timestamp").string(), first.text("timestamp"));
  EXPECT_EQ(world.attribute("FormBridgeData", "TENANT#t1#0", "SUB#" + first.text("submission_id"), "Type"),
            "Submission");
  world.refused(404, "submit", R"({"tenant_id":"t9","form_id":"c","payload":1})");
  world.refused(404, "submission", fmt::format(R"({{"tenant_id":"t1","submission_id":"{}"}})", make_ulid(7)));
}

TEST_F(FormBridge, payloads_are_packed_and_spilled_and_read_back) {
  std::string random;
  for (int i = 0; i < 6000; ++i) random += make_token(24);  // does not shrink below 128 KiB
  for (const std::string& text : {std::string(5000, 'x'), random, std::string("short")}) {
    const auto result =
        world.ok("submit", fmt::format(R"({{"tenant_id":"t1","form_id":"f","payload":{{"t":"{}"}}}})", text));
    const auto item = world.ok("submission", fmt::format(R"({{"tenant_id":"t1","submission_id":"{}"}})",
                                                         result.text("submission_id")))["item"];
    EXPECT_EQ(item.member("payload").member("t").string(), text);
  }
  EXPECT_EQ(world.blobs.size(), 1u);
  const auto listed = world.walk("submissionsByTime", R"({"tenant_id":"t1"})", 2);
  ASSERT_EQ(listed.size(), 3u);
  EXPECT_EQ(listed[0].member("payload").member("t").string().size(), 5000u);
}

TEST_F(FormBridge, deliveries_are_numbered_per_destination_and_move_the_status) {
  const std::string id = submit().text("submission_id"), d1 = destination(), d2 = destination();
  EXPECT_EQ(deliver(id, d1, "retrying").text("attempt_num"), "1");
  EXPECT_EQ(status(id), "PENDING");
  EXPECT_EQ(deliver(id, d1, "failed").text("attempt_num"), "2");
  EXPECT_EQ(status(id), "FAILED");
  EXPECT_EQ(deliver(id, d2, "success").text("attempt_num"), "1");
  EXPECT_EQ(status(id), "DELIVERED");
  EXPECT_EQ(deliver(id, d1, "failed").text("attempt_num"), "3");
  EXPECT_EQ(status(id), "DELIVERED");
  const std::string both = fmt::format(R"({{"tenant_id":"t1","submission_id":"{}"}})", id);
  const auto attempts = world.walk("deliveriesOfSubmission", both, 3);
  ASSERT_EQ(attempts.size(), 4u);
  EXPECT_EQ(attempts[1].member("attempt_num").string(), "2");
  EXPECT_EQ(world.walk("deliveriesOfTenant", R"({"tenant_id":"t1","status":"failed"})", 1).size(), 2u);
  EXPECT_EQ(world
                .walk("deliveriesOfDestination",
                      fmt::format(R"({{"tenant_id":"t1","destination_id":"{}","status":"success"}})", d2), 9)
                .size(),
            1u);
  EXPECT_EQ(world.walk("submissionsByStatus", R"({"tenant_id":"t1","status":"DELIVERED"})", 9).size(), 1u);
  EXPECT_EQ(world.walk("submissionsByStatus", R"({"tenant_id":"t1","status":"PENDING"})", 9).size(), 0u);
  world.refused(
      404, "recordDelivery",
      fmt::format(R"({{"tenant_id":"t2","submission_id":"{}","destination_id":"{}","status":"failed"}})", id, d1));
}

TEST_F(FormBridge, attempts_recorded_at_once_have_no_gap) {
  const std::string id = submit().text("submission_id"), d = destination();
  std::vector<std::thread> threads;
  Mutex mutex;
  std::multiset<std::string> numbers;
  for (int i = 0; i < 64; ++i) {
    threads.emplace_back([&, i] {
      const std::string number = deliver(id, d, i % 3 == 0 ? "failed" : "retrying").text("attempt_num");
      const MutexLock lock(mutex);
      numbers.insert(number);
    });
  }
  for (auto& thread : threads) thread.join();
  for (int i = 1; i <= 64; ++i) EXPECT_EQ(numbers.count(std::to_string(i)), 1u) << i;
  EXPECT_EQ(status(id), "FAILED");
}

TEST_F(FormBridge, shards_change_under_load_and_every_submission_is_found_once_in_order) {
  std::set<std::string> ids;
  Mutex mutex;
  const auto load = [&](int count) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < count; ++i) {
          const std::string id = submit().text("submission_id");
          const MutexLock lock(mutex);
          ids.insert(id);
        }
      });
    }
    for (auto& thread : threads) thread.join();
  };
  load(10);
  world.ok("setShards", R"({"tenant_id":"t1","shard_count":8})");
  load(10);
  for (int i = 0; i < 8; ++i) {
    world.clock.advance_ms(10'000);
    load(6);
  }
  world.ok("setShards", R"({"tenant_id":"t1","shard_count":3})");
  world.clock.advance_ms(61'000);
  load(10);
  const auto shards = world.ok("shardsOf", R"({"tenant_id":"t1"})");
  EXPECT_EQ(shards.text("shard_count"), "3");
  EXPECT_EQ(shards["epochs"].elements().size(), 2u);
  for (const int64_t limit : {1, 7, 1000}) {
    for (const bool descending : {false, true}) {
      for (const std::string operation : {"submissionsByTime", "submissionsByStatus"}) {
        const std::string more = operation == "submissionsByStatus" ? R"(,"status":"PENDING")" : "";
        std::vector<std::string> order;
        for (const Plain& item : world.walk(operation, R"({"tenant_id":"t1")" + more + "}", limit, descending))
          order.push_back(item.member("timestamp").string() + item.member("submission_id").string());
        EXPECT_EQ(order.size(), ids.size());
        EXPECT_TRUE(descending ? std::is_sorted(order.rbegin(), order.rend())
                               : std::is_sorted(order.begin(), order.end()));
        std::set<std::string> found;
        for (const std::string& one : order) found.insert(one.substr(one.size() - 26));
        EXPECT_EQ(found, ids);
      }
    }
  }
  for (const std::string& id : ids) EXPECT_EQ(status(id), "PENDING");
  std::set<std::string> partitions;
  ScanRequest scan;
  scan.table_name = "FormBridgeData";
  const auto page = world.engine->scan(scan);
  for (size_t i = 0; i < page->items.size(); ++i) {
    const std::string sk(page->items[i].find("SK")->scalar());
    if (sk.starts_with("SUB#")) partitions.insert(std::string(page->items[i].find("PK")->scalar()));
  }
  EXPECT_GT(partitions.size(), 4u);
}

TEST_F(FormBridge, a_new_epoch_begins_after_every_id_also_when_the_clock_was_set_back) {
  std::vector<std::string> ids;
  for (int i = 0; i < 8; ++i) ids.push_back(submit().text("submission_id"));
  world.clock.advance_ms(-3'600'000);
  world.ok("setShards", R"({"tenant_id":"t1","shard_count":16})");
  for (int i = 0; i < 8; ++i) ids.push_back(submit().text("submission_id"));
  world.clock.advance_ms(2 * 3'600'000);
  for (int i = 0; i < 8; ++i) ids.push_back(submit().text("submission_id"));
  for (const std::string& id : ids) EXPECT_EQ(status(id), "PENDING") << id;
}

TEST_F(FormBridge, a_range_of_times_is_inclusive_and_may_be_empty) {
  const auto at = submit().text("timestamp");
  world.clock.advance_ms(60'000);
  submit();
  const auto count = [&](const std::string& range) {
    return world.walk("submissionsByTime", R"({"tenant_id":"t1")" + range + "}", 10).size();
  };
  EXPECT_EQ(count(fmt::format(R"(,"from":"{}","to":"{}")", at, at)), 1u);
  EXPECT_EQ(count(fmt::format(R"(,"from":"{}")", at)), 2u);
  EXPECT_EQ(count(fmt::format(R"(,"to":"{}")", at)), 1u);
  EXPECT_EQ(count(R"(,"from":"2026-02-01T00:00:00Z","to":"2026-01-01T00:00:00Z")"), 0u);
}

TEST_F(FormBridge, figures_without_submissions_are_empty) {
  const auto reply = world.ok("dashboard", R"({"tenant_id":"t1","days":2})");
  EXPECT_EQ(reply.text("total_submissions"), "0");
  EXPECT_EQ(reply.text("period"), "2026-01-14 to 2026-01-15");
  EXPECT_EQ(world.ok("suggestShards", R"({"tenant_id":"t1"})").text("shard_count"), "1");
  EXPECT_EQ(world.walk("metricsOfDay", R"({"date":"2026-01-15"})", 5).size(), 0u);
  world.refused(404, "setShards", R"({"tenant_id":"x","shard_count":2})");
}

}  // namespace
}  // namespace trestle::runtime
