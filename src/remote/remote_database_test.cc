#include "remote/remote_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/closed_port_for_test.h"
#include "remote/fake_endpoint.h"

namespace trestle {
namespace {

using testing::HasSubstr;
using Step = FakeEndpoint::Step;

constexpr int64_t kNow = 1'760'000'000'000;

// A remote database whose waits are recorded instead of executed.
class RemoteDatabaseTest : public testing::Test {
 protected:
  RemoteDatabase& open(std::vector<Step> script, RemoteOptions options = {}) {
    endpoint_ = std::make_unique<FakeEndpoint>(std::move(script));
    return open_at(endpoint_->url(), std::move(options));
  }
  RemoteDatabase& open_at(std::string url, RemoteOptions options = {}) {
    options.endpoint = std::move(url);
    options.region = "eu-west-1";
    if (!options.credentials) options.credentials = http::Credentials{.access_key = "AKID", .secret_key = "secret"};
    options.clock = &clock_;
    options.sleeper = [this](int64_t ms) { waits_.push_back(ms); };
    auto opened = RemoteDatabase::open(options);
    EXPECT_TRUE(opened.has_value()) << opened.error().message;
    database_ = std::move(*opened);
    return *database_;
  }
  Result<GetItemResponse> get() {
    return database_->get_item({.table_name = "music", .key = {{"pk", Value::string("a")}}});
  }
  static Step error(int status, std::string_view type, std::string_view message = "m") {
    return {http_reply(status,
                       "{\"__type\":\"x#" + std::string(type) + "\",\"message\":\"" + std::string(message) + "\"}")};
  }
  static Step found() { return {http_reply(200, R"({"Item":{"pk":{"S":"a"},"n":{"N":"1"}}})")}; }

  ManualClock clock_{kNow};
  std::vector<int64_t> waits_;
  std::unique_ptr<FakeEndpoint> endpoint_;
  std::unique_ptr<RemoteDatabase> database_;
};

TEST_F(RemoteDatabaseTest, a_request_is_signed_and_its_reply_read) {
  open({found()});
  const auto reply = get();
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->item->find("n")->scalar(), "1");
  const std::string request = endpoint_->requests().at(0);
  EXPECT_THAT(request, HasSubstr("POST / HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("X-Amz-Target: DynamoDB_20120810.GetItem\r\n"));
  EXPECT_THAT(request, HasSubstr("X-Amz-Date: 20251009T085320Z\r\n"));
  EXPECT_THAT(request, HasSubstr("Credential=AKID/20251009/eu-west-1/dynamodb/aws4_request, "
                                 "SignedHeaders=host;x-amz-date;x-amz-target, Signature="));
  EXPECT_TRUE(request.ends_with(R"({"TableName":"music","Key":{"pk":{"S":"a"}}})")) << request;
}

TEST_F(RemoteDatabaseTest, streams_have_a_target_of_their_own) {
  RemoteDatabase& database = open({{http_reply(200, R"({"Streams":[]})")}});
  ASSERT_TRUE(database.list_streams({}).has_value());
  EXPECT_THAT(endpoint_->requests().at(0), HasSubstr("X-Amz-Target: DynamoDBStreams_20120810.ListStreams\r\n"));
}

TEST_F(RemoteDatabaseTest, a_session_token_is_sent_and_signed) {
  open({found()}, {.credentials = http::Credentials{"AKID", "secret", "token/+="}});
  ASSERT_TRUE(get().has_value());
  EXPECT_THAT(endpoint_->requests().at(0), HasSubstr("X-Amz-Security-Token: token/+=\r\n"));
  EXPECT_THAT(endpoint_->requests().at(0), HasSubstr("host;x-amz-date;x-amz-security-token;x-amz-target"));
}

TEST_F(RemoteDatabaseTest, one_connection_serves_one_caller) {
  open({found()});
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(get().has_value());
  EXPECT_EQ(endpoint_->connections(), 1u);
  EXPECT_EQ(database_->counts().calls, 10u);
}

TEST_F(RemoteDatabaseTest, no_more_connections_than_allowed) {
  open({found()}, {.connections_max = 2});
  std::vector<std::thread> threads;
  std::atomic<int> answered = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) answered += get().has_value();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(answered, 160);
  EXPECT_LE(endpoint_->connections(), 2u);
}

TEST_F(RemoteDatabaseTest, transient_errors_are_retried_with_growing_waits) {
  open({error(500, "InternalServerError"), error(400, "ProvisionedThroughputExceededException"),
        error(503, "ServiceUnavailable"), found()},
       {.backoff = {.base_ms = 100, .cap_ms = 300}});
  ASSERT_TRUE(get().has_value());
  ASSERT_EQ(waits_.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_GE(waits_[i], 0);
    EXPECT_LE(waits_[i], std::vector<int64_t>({100, 200, 300})[i]);
  }
  EXPECT_EQ(database_->counts().retries, 3u);
  EXPECT_EQ(database_->counts().throttled, 1u);
}

TEST_F(RemoteDatabaseTest, persistent_throttling_is_reported) {
  open({error(400, "ThrottlingException", "slow down")});
  const auto reply = get();
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, ErrorCode::kThrottling);
  EXPECT_EQ(reply.error().message, "slow down");
  EXPECT_EQ(endpoint_->requests().size(), 4u);  // the first and three retries
}

TEST_F(RemoteDatabaseTest, the_callers_mistakes_are_not_retried) {
  for (const char* type : {"ValidationException", "ConditionalCheckFailedException", "ResourceNotFoundException",
                           "TransactionCanceledException", "AccessDeniedException"}) {
    open({error(400, type)});
    EXPECT_FALSE(get().has_value());
    EXPECT_EQ(endpoint_->requests().size(), 1u) << type;
  }
}

TEST_F(RemoteDatabaseTest, retries_end_when_the_tokens_do) {
  open({error(500, "InternalServerError")});
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(get().has_value());
  // 500 tokens, 5 for each retry: 100 retries, and then no call is retried.
  EXPECT_EQ(database_->counts().retries, 100u);
  EXPECT_EQ(endpoint_->requests().size(), 140u);
}

TEST_F(RemoteDatabaseTest, a_lost_connection_is_opened_again) {
  open({{"", true}, found()});
  EXPECT_TRUE(get().has_value());
  EXPECT_EQ(endpoint_->connections(), 2u);
  EXPECT_EQ(waits_.size(), 1u);
}

TEST_F(RemoteDatabaseTest, a_pooled_connection_that_the_endpoint_closed_costs_no_wait) {
  open({found()});
  ASSERT_TRUE(get().has_value());
  endpoint_->end_connections();
  ASSERT_TRUE(get().has_value());
  EXPECT_TRUE(waits_.empty());
  EXPECT_EQ(endpoint_->connections(), 2u);
}

TEST_F(RemoteDatabaseTest, an_incomplete_reply_is_retried) {
  const std::string whole = found().bytes;
  open({{whole.substr(0, whole.size() - 5), true}, found()});
  EXPECT_TRUE(get().has_value());
  EXPECT_EQ(endpoint_->requests().size(), 2u);
}

TEST_F(RemoteDatabaseTest, a_reply_that_says_close_is_the_last_on_its_connection) {
  open({{http_reply(200, "{}", "Connection: close\r\n")}});
  ASSERT_TRUE(get().has_value());
  ASSERT_TRUE(get().has_value());
  EXPECT_EQ(endpoint_->connections(), 2u);
  EXPECT_TRUE(waits_.empty());
}

TEST_F(RemoteDatabaseTest, a_wrong_checksum_is_retried) {
  open({{http_reply(200, "{}", "x-amz-crc32: 1\r\n")}, {http_reply(200, "{}", "x-amz-crc32: 2745614147\r\n")}});
  EXPECT_TRUE(get().has_value());
  EXPECT_EQ(endpoint_->requests().size(), 2u);
}

TEST_F(RemoteDatabaseTest, unreadable_replies_are_errors) {
  for (const std::string_view body : {"", "{", "[]", "<html>", R"({"Item":5})", R"({"Item":{"a":{"N":"x"}}})"}) {
    open({{http_reply(200, body)}});
    const auto reply = get();
    ASSERT_FALSE(reply.has_value()) << body;
    EXPECT_EQ(reply.error().code, ErrorCode::kInternal) << body;
    EXPECT_THAT(reply.error().message, HasSubstr("the reply to GetItem cannot be read")) << body;
  }
  open({{"SSH-2.0-OpenSSH_9.2\r\n\r\n"}});
  EXPECT_THAT(get().error().message, HasSubstr("the reply is not HTTP/1.1"));
}

TEST_F(RemoteDatabaseTest, a_huge_reply_is_refused_before_it_is_read) {
  open({{"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"}}, {.response_bytes_max = 100'000});
  const auto reply = get();
  ASSERT_FALSE(reply.has_value());
  EXPECT_THAT(reply.error().message, HasSubstr("exceeds 100000 bytes"));
}

TEST_F(RemoteDatabaseTest, a_large_reply_is_read_whole) {
  const std::string text(1'000'000, 'x');
  open({{http_reply(200, R"({"Item":{"pk":{"S":")" + text + R"("}}})")}});
  const auto reply = get();
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->item->find("pk")->scalar(), text);
}

TEST_F(RemoteDatabaseTest, silence_ends) {
  open({{""}}, {.request_timeout_ms = 500, .retries_max = 1});
  const auto reply = get();
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, ErrorCode::kInternal);
  EXPECT_THAT(reply.error().message, HasSubstr("no reply arrived in time"));
  while (endpoint_->requests().size() < 2)
    std::this_thread::yield();  // the endpoint may read it after the call has given up
  EXPECT_EQ(endpoint_->requests().size(), 2u);
}

TEST_F(RemoteDatabaseTest, an_endpoint_that_is_not_there_is_unavailable) {
  const ClosedPort nobody;
  open_at("http://127.0.0.1:" + std::to_string(nobody.port()));
  const auto reply = get();
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, ErrorCode::kServiceUnavailable);
  EXPECT_THAT(reply.error().message, HasSubstr("Connection refused"));
  EXPECT_EQ(waits_.size(), 3u);
}

TEST_F(RemoteDatabaseTest, a_clock_that_differs_is_corrected) {
  const std::string refusal =
      R"({"__type":"x#InvalidSignatureException","message":"Signature expired: 1 is now earlier than 2"})";
  open({{http_reply(400, refusal, "Date: Fri, 10 Oct 2025 08:53:20 GMT\r\n")}, found()});  // a day later
  ASSERT_TRUE(get().has_value());
  EXPECT_THAT(endpoint_->requests().at(0), HasSubstr("X-Amz-Date: 20251009T085320Z"));
  EXPECT_THAT(endpoint_->requests().at(1), HasSubstr("X-Amz-Date: 20251010T085320Z"));
  EXPECT_TRUE(waits_.empty());
  ASSERT_TRUE(get().has_value());
  EXPECT_THAT(endpoint_->requests().at(2), HasSubstr("X-Amz-Date: 20251010T085320Z"));
}

TEST_F(RemoteDatabaseTest, a_wrong_signature_is_not_retried) {
  const std::string refusal = R"({"__type":"x#InvalidSignatureException","message":"it does not match"})";
  open({{http_reply(400, refusal, "Date: Fri, 10 Oct 2025 08:53:20 GMT\r\n")}});
  const auto reply = get();
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, ErrorCode::kAccessDenied);
  EXPECT_EQ(endpoint_->requests().size(), 1u);
}

TEST_F(RemoteDatabaseTest, a_transaction_keeps_its_token_when_it_is_retried) {
  RemoteDatabase& database = open({error(500, "InternalServerError"), {http_reply(200, "{}")}});
  TransactWriteItemsRequest request;
  request.writes.emplace_back();
  request.writes[0].table_name = "music";
  request.writes[0].item = Item{{"pk", Value::string("a")}};
  ASSERT_TRUE(database.transact_write_items(request).has_value());
  const auto token_of = [&](size_t i) {
    const std::string sent = endpoint_->requests().at(i);
    return sent.substr(sent.find("\"ClientRequestToken\":"));
  };
  EXPECT_EQ(token_of(0).size(), std::string_view(R"("ClientRequestToken":""})").size() + 36);
  EXPECT_EQ(token_of(0), token_of(1));
  request.client_request_token = "mine";
  ASSERT_TRUE(database.transact_write_items(request).has_value());
  EXPECT_EQ(token_of(2), R"("ClientRequestToken":"mine"})");
}

TEST_F(RemoteDatabaseTest, an_invalid_endpoint_is_refused) {
  EXPECT_FALSE(RemoteDatabase::open({.endpoint = "ftp://host"}).has_value());
  EXPECT_FALSE(RemoteDatabase::open({.endpoint = "http://host", .connections_max = 0}).has_value());
  EXPECT_FALSE(RemoteDatabase::open({.endpoint = "https://host", .ca_file = "/nowhere/ca.pem"}).has_value());
}

}  // namespace
}  // namespace trestle
