// One event loop, and requests that must not delay it: changes of tables, searches and pages that take long.
#include "server/dynamodb_api.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "base/scratch_folder.h"
#include "engine/engine.h"
#include "engine/quiet_engine.h"
#include "server/http/listener.h"
#include "server/http/test_client.h"
#include "storage/slow_disk_for_test.h"

namespace trestle {
namespace {

constexpr std::string_view kTable =
    R"({"TableName":"table","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
    R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"})";

std::string table_named(const std::string& name) {
  std::string table(kTable);
  return table.replace(table.find("\"table\""), 7, "\"" + name + "\"");
}

constexpr std::string_view kAnySignature =
    "X-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/dynamodb/"
    "aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=00\r\n";

std::string request_of(std::string_view operation, std::string_view body) {
  return "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: "
         "DynamoDB_20120810." +
         std::string(operation) + "\r\n" + std::string(kAnySignature) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

// A server with one event loop, on a disk whose syncs can be held.
struct OneLoop {
  ScratchFolder folder;
  std::shared_ptr<SlowDisk> disk = std::make_shared<SlowDisk>();
  QuietEngine database{folder.path()};
  SystemClock clock;
  std::unique_ptr<DynamoDbApi> api;
  std::unique_ptr<Listener> listener;

  explicit OneLoop(DynamoDbApiOptions options = {}, size_t buffered_bytes_max = size_t{512} << 20,
                   ListenerOptions listening = {}) {
    EngineOptions engine = database.options();
    engine.store.file_system = disk;
    database.open(std::move(engine));
    options.has_workers = true;
    api = std::make_unique<DynamoDbApi>(*database.engine, clock, std::move(options));
    listening.loops = 1;
    listening.session.buffered_bytes_max = buffered_bytes_max;
    listener = std::move(*Listener::start(*api, std::move(listening)));
  }
  ~OneLoop() {
    disk->release_syncs();
    listener->stop();
    api->stop();
    database->wait_for_callbacks();
  }
  OneLoop(const OneLoop&) = delete;
  OneLoop& operator=(const OneLoop&) = delete;

  TestReply call(std::string_view operation, std::string_view body) const {
    TestClient client(listener->port());
    client.send(request_of(operation, body));
    return client.read_reply();
  }
  std::unique_ptr<TestClient> send(std::string_view operation, std::string_view body) const {
    auto client = std::make_unique<TestClient>(listener->port());
    client->send(request_of(operation, body));
    return client;
  }
};

constexpr std::string_view kGet = R"({"TableName":"table","Key":{"pk":{"S":"a"}}})";
constexpr std::string_view kPut = R"({"TableName":"table","Item":{"pk":{"S":"b"}}})";
constexpr std::string_view kProtect = R"({"TableName":"table","DeletionProtectionEnabled":true})";

TEST(DynamoDbApi, a_change_of_a_table_does_not_delay_its_event_loop) {
  OneLoop server;
  ASSERT_EQ(server.call("CreateTable", kTable).status, 200);
  ASSERT_EQ(server.call("PutItem", R"({"TableName":"table","Item":{"pk":{"S":"a"}}})").status, 200);
  server.disk->hold_syncs();
  const auto change = server.send("UpdateTable", kProtect);
  server.disk->wait_for_sync();  // the change now holds the table's gate
  const auto put = server.send("PutItem", kPut);
  const auto batch =
      server.send("BatchWriteItem", R"({"RequestItems":{"table":[{"PutRequest":{"Item":{"pk":{"S":"c"}}}}]}})");
  std::vector<std::unique_ptr<TestClient>> more;
  for (int i = 0; i < 8; ++i) more.push_back(server.send("CreateTable", table_named("table-" + std::to_string(i))));
  EXPECT_EQ(server.call("GetItem", kGet).status, 200);
  EXPECT_EQ(server.call("DescribeTable", R"({"TableName":"table"})").status, 200);
  server.disk->release_syncs();
  EXPECT_EQ(change->read_reply().status, 200);
  EXPECT_EQ(put->read_reply().status, 200);
  EXPECT_EQ(batch->read_reply().status, 200);
  for (const auto& client : more) EXPECT_EQ(client->read_reply().status, 200);
  EXPECT_NE(server.call("Scan", R"({"TableName":"table"})").body.find("\"Count\":3"), std::string::npos);
}

TEST(DynamoDbApi, calls_that_wait_for_a_change_of_their_table_do_not_delay_those_that_read_from_disk) {
  OneLoop server({.disk_workers = 1, .lock_workers = 2});
  ASSERT_EQ(server.call("CreateTable", kTable).status, 200);
  ASSERT_EQ(server.call("CreateTable", table_named("other")).status, 200);
  server.disk->hold_syncs();
  const auto change = server.send("UpdateTable", kProtect);
  server.disk->wait_for_sync();
  std::vector<std::unique_ptr<TestClient>> puts;
  for (int i = 0; i < 4; ++i) puts.push_back(server.send("PutItem", kPut));
  // Several statements are never executed on the event loop.
  auto read = std::async(std::launch::async, [&] {
    constexpr std::string_view kStatement = R"({{"Statement":"SELECT * FROM \"other\" WHERE pk = '{}'"}})";
    const auto statements = fmt::format(kStatement, "a") + "," + fmt::format(kStatement, "b");
    return server.call("BatchExecuteStatement", R"({"Statements":[)" + statements + "]}").status;
  });
  EXPECT_EQ(read.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  server.disk->release_syncs();
  EXPECT_EQ(read.get(), 200);
  EXPECT_EQ(change->read_reply().status, 200);
  for (const auto& put : puts) EXPECT_EQ(put->read_reply().status, 200);
}

TEST(DynamoDbApi, replies_of_a_connection_stay_in_order) {
  OneLoop server;
  TestClient client(server.listener->port());
  client.send(request_of("CreateTable", kTable) + request_of("GetItem", kGet) +
              request_of("DeleteTable", R"({"TableName":"table"})") + request_of("GetItem", kGet));
  EXPECT_TRUE(client.read_reply().body.starts_with(R"({"TableDescription")"));
  EXPECT_EQ(client.read_reply().body, "{}");
  EXPECT_TRUE(client.read_reply().body.starts_with(R"({"TableDescription")"));
  EXPECT_NE(client.read_reply().body.find("ResourceNotFoundException"), std::string::npos);
}

TEST(DynamoDbApi, requests_that_wait_for_a_worker_count_against_the_buffers) {
  constexpr size_t kBuffersMax = size_t{8} << 20;
  constexpr int kRequests = 24;
  OneLoop server({}, kBuffersMax);
  server.disk->hold_syncs();
  const std::string padding(1 << 20, ' ');
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < kRequests; ++i) {
    clients.push_back(server.send("CreateTable", table_named("table-" + std::to_string(i)) + padding));
    // After each request, so that its buffer is free again or it was refused.
    EXPECT_EQ(server.call("ListTables", "{}").status, 200);
  }
  EXPECT_LE(server.listener->counts().buffered_bytes, kBuffersMax);
  EXPECT_GE(server.listener->counts().buffered_bytes, kBuffersMax / 2);
  server.disk->release_syncs();
  int refused = 0;
  for (const auto& client : clients) {
    const TestReply reply = client->read_reply();
    EXPECT_TRUE(reply.status == 200 || reply.status == 503) << reply.status << reply.body;
    refused += reply.status == 503 ? 1 : 0;
  }
  EXPECT_GE(refused, kRequests - 8);
  EXPECT_LE(refused, kRequests - 3);
  EXPECT_LT(server.listener->counts().buffered_bytes, size_t{1} << 20);
}

// A worker waits for the change of the table, and with one worker all further large requests wait for that worker.
TEST(DynamoDbApi, large_requests_run_on_a_worker) {
  OneLoop server({.disk_workers = 1});
  ASSERT_EQ(server.call("CreateTable", kTable).status, 200);
  ASSERT_EQ(server.call("CreateTable", table_named("other")).status, 200);
  server.disk->hold_syncs();
  const auto change = server.send("UpdateTable", kProtect);
  server.disk->wait_for_sync();
  const std::string padding(size_t{1} << 20, ' ');
  const auto put = server.send("PutItem", std::string(kPut) + padding);
  while (server.listener->counts().requests < 4) std::this_thread::yield();
  const std::string_view kGetOther = R"({"TableName":"other","Key":{"pk":{"S":"a"}}})";
  const auto large = server.send("GetItem", std::string(kGetOther) + padding);
  while (server.listener->counts().requests < 5) std::this_thread::yield();
  EXPECT_EQ(server.call("GetItem", kGetOther).status, 200);
  EXPECT_EQ(server.call("ListTables", "{}").status, 200);
  pollfd readable{.fd = large->fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&readable, 1, 0), 0);
  EXPECT_GE(server.listener->counts().buffered_bytes, padding.size());
  server.disk->release_syncs();
  EXPECT_EQ(change->read_reply().status, 200);
  EXPECT_EQ(put->read_reply().status, 200);
  EXPECT_EQ(large->read_reply().status, 200);
}

// Their clients are gone: the listener has closed the connections before the API is stopped.
TEST(DynamoDbApi, stopping_discards_the_calls_that_no_worker_has_begun) {
  OneLoop server({.table_workers = 1}, size_t{512} << 20, {.stop_grace_ms = 1});
  server.disk->hold_syncs();
  std::vector<std::unique_ptr<TestClient>> clients;
  clients.push_back(server.send("CreateTable", table_named("table-0")));
  server.disk->wait_for_sync();
  const std::string padding(100'000, ' ');
  for (int i = 1; i < 9; ++i) {
    clients.push_back(server.send("CreateTable", table_named("table-" + std::to_string(i)) + padding));
  }
  while (server.listener->counts().requests < 9) std::this_thread::yield();
  server.listener->stop();
  EXPECT_GE(server.listener->counts().buffered_bytes, 8 * padding.size());
  std::thread stopping([&] { server.api->stop(); });
  for (int i = 0; i < 10'000 && server.listener->counts().buffered_bytes >= padding.size(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_LT(server.listener->counts().buffered_bytes, padding.size());
  server.disk->release_syncs();
  stopping.join();
  const auto tables = server.database->list_tables({});
  ASSERT_TRUE(tables.has_value());
  EXPECT_EQ(tables->table_names, std::vector<std::string>{"table-0"});
}

TEST(DynamoDbApi, a_full_queue_refuses_requests) {
  OneLoop server({.table_workers = 1, .table_changes_max = 2});
  server.disk->hold_syncs();
  std::vector<std::unique_ptr<TestClient>> clients;
  clients.push_back(server.send("CreateTable", table_named("table-0")));
  server.disk->wait_for_sync();
  for (int i = 1; i < 3; ++i) clients.push_back(server.send("CreateTable", table_named("table-" + std::to_string(i))));
  EXPECT_EQ(server.call("ListTables", "{}").status, 200);
  const TestReply reply = server.call("CreateTable", table_named("table-3"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("ServiceUnavailable"), std::string::npos) << reply.body;
  server.disk->release_syncs();
  for (const auto& client : clients) EXPECT_EQ(client->read_reply().status, 200);
}

TEST(DynamoDbApi, callers_are_authenticated_before_they_wait_for_a_worker) {
  const Credentials credentials = *Credentials::parse("AKID secret\n");
  OneLoop server({.credentials = &credentials, .search_workers = 0, .table_workers = 0});
  for (const std::string_view operation : {"CreateTable", "SearchVectors"}) {
    EXPECT_EQ(server.call(operation, kTable).status, 400) << operation;
  }
}

TEST(DynamoDbApi, a_page_that_takes_long_does_not_delay_its_event_loop) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  DynamoDbApiOptions options;
  options.metrics_page = [released] {
    released.wait();
    return std::string("metrics");
  };
  OneLoop server(std::move(options));
  TestClient client(server.listener->port());
  client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(server.call("ListTables", "{}").status, 200);
  release.set_value();
  EXPECT_EQ(client.read_reply().body, "metrics");
}

}  // namespace
}  // namespace trestle
