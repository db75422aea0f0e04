// Database on a DynamoDB endpoint: Amazon DynamoDB, ScyllaDB's Alternator, DynamoDB Local, another Trestle.
//
//   TRY_INTO(auto database, RemoteDatabase::open({.endpoint = "https://dynamodb.eu-west-1.amazonaws.com"}));
//   TRY_INTO(auto reply, database->get_item({.table_name = "music", .key = key}));
//
// A call blocks until the reply arrives: one write and one read on a keep-alive connection. Exceptions of the endpoint
// become the corresponding Error (protocol/client/client_error_json.h). Without a reply the error is
// kServiceUnavailable if the request was never sent, and kInternal if its outcome is unknown.
//
// As in the standard mode of the AWS SDKs, lost connections, statuses of 500 and above, throttling and transactions in
// progress are retried up to retries_max times, with exponential backoff and full jitter, as long as there are retry
// tokens (retry_tokens.h). A write whose reply was lost is retried too. It may then be applied twice, or fail its
// condition because of its first attempt. TransactWriteItems and ExecuteTransaction get a ClientRequestToken and are
// applied once. If the clock differs too much from the endpoint's, it is corrected by the reply's Date.
//
// Durability is the endpoint's: call.commit stays 0. Thread-safe; each thread uses its own connection, up to
// connections_max.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "base/backoff.h"
#include "base/clock.h"
#include "http/signature.h"
#include "model/database.h"
#include "remote/connection_pool.h"
#include "remote/credential_source.h"
#include "remote/retry_tokens.h"

namespace trestle {

struct RemoteOptions {
  std::string endpoint;      // http://127.0.0.1:8000, https://dynamodb.eu-west-1.amazonaws.com
  std::string region = {};   // default: AWS_REGION, AWS_DEFAULT_REGION, the host's, the profile's, us-east-1
  std::string profile = {};  // default: AWS_PROFILE, else "default"
  std::optional<http::Credentials> credentials = {};  // default: see remote/credential_source.h
  std::string ca_file = {};                           // certificate authorities to trust; default: the system's
  bool verify_tls = true;
  int64_t connect_timeout_ms = 3'000;
  int64_t request_timeout_ms = 30'000;
  size_t connections_max = 64;
  size_t response_bytes_max = 64u << 20;
  unsigned retries_max = 3;
  Backoff backoff = {};
  // For tests.
  const Clock* clock = nullptr;  // null: the system clock
  Sleeper sleeper = {};
};

// For metrics and logs.
struct RemoteCounts {
  uint64_t calls = 0;
  uint64_t retries = 0;
  uint64_t throttled = 0;  // throttling replies, including those after which a retry succeeded
};

class RemoteDatabase final : public Database {
 public:
  // Fails if the endpoint, credentials or settings are invalid. Does not connect.
  static Result<std::unique_ptr<RemoteDatabase>> open(const RemoteOptions& options);

  const std::string& region() const { return region_; }
  RemoteCounts counts() const;

  Result<void> wait_durable(const Call&) override { return {}; }
  void when_durable(const Call&, std::move_only_function<void(Result<void>)> then) override { then({}); }

#define TRESTLE_DECLARE(Name, name) \
  using Database::name;             \
  Result<Name##Response> name(const Name##Request& request, Call& call) override;
  TRESTLE_OPERATIONS(TRESTLE_DECLARE)
#undef TRESTLE_DECLARE

 private:
  // An attempt without a reply.
  struct Failed {
    Error error;
    enum class Retry { kNever, kAtOnce, kAfterDelay } retry = Retry::kNever;
    int64_t cost = RetryTokens::kRetryCost;
  };
  using Reply = ConnectionPool::Reply;

  RemoteDatabase(const RemoteOptions& options, std::string region, std::unique_ptr<CredentialSource> credentials);

  template <class Response, class Request>
  Result<Response> call_endpoint(std::string_view operation, const Request& request);
  // Returns a reply with status 200, after retries as the options allow.
  Result<Reply> exchange(std::string_view operation, std::string_view body);
  BasicResult<Reply, Failed> try_once(std::string_view target, std::string_view body, ConnectionPool& pool);
  Failed classify(const Reply& reply, const std::shared_ptr<const http::Credentials>& credentials);
  Failed classify(const ExchangeFailure& failure, ConnectionPool& pool) const;
  // Whether the endpoint's clock differs so much that it rejects signatures; if so, corrects this side's clock.
  bool correct_clock(std::optional<std::time_t> date);
  int64_t now_ms() const { return clock_.now_ms() + skew_ms_.load(std::memory_order_relaxed); }

  // Constant after construction.
  const RemoteOptions options_;
  const std::string region_;
  const SystemClock system_clock_;
  const Clock& clock_;
  const std::unique_ptr<CredentialSource> credentials_;
  std::unique_ptr<ConnectionPool> tables_;
  std::unique_ptr<ConnectionPool> streams_;  // null: the endpoint of the tables also serves streams

  // Shared between threads.
  RetryTokens tokens_;
  std::atomic<int64_t> skew_ms_ = 0;
  std::atomic<uint64_t> calls_ = 0;
  std::atomic<uint64_t> retries_ = 0;
  std::atomic<uint64_t> throttled_ = 0;
};

}  // namespace trestle
