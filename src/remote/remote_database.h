// Database on a DynamoDB endpoint: Amazon DynamoDB, ScyllaDB's Alternator, DynamoDB Local, another Trestle.
//
//   TRY_INTO(auto database, RemoteDatabase::open({.endpoint = "https://dynamodb.eu-west-1.amazonaws.com"}));
//   TRY_INTO(auto reply, database->get_item({.table_name = "music", .key = key}));
//
// A call blocks until its answer is there: one write and one read on a kept connection. An error is the Error that the
// endpoint's exception stands for (protocol/client/client_error_json.h). Without a reply it is kServiceUnavailable when
// the request was never sent, and kInternal when nobody knows what became of it.
//
// Retried, as the AWS SDKs' standard mode does, are lost connections, statuses of 500 and above, throttling and
// transactions in progress: up to retries_max times, after an exponential delay with full jitter, while there are retry
// tokens (retry_tokens.h). A write whose reply was lost is retried too, and may then happen twice, or find its own
// condition false; TransactWriteItems and ExecuteTransaction get a ClientRequestToken, and happen once. A clock that
// differs from the endpoint's is corrected by the reply's Date.
//
// What is answered is durable as the endpoint understands it: call.commit stays 0. Threads may share it, and each uses
// a connection of its own, connections_max at most.
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
  std::string region = {};   // else AWS_REGION, AWS_DEFAULT_REGION, the host's, the profile's, us-east-1
  std::string profile = {};  // else AWS_PROFILE, default
  std::optional<http::Credentials> credentials = {};  // else as remote/credential_source.h says
  std::string ca_file = {};  // authorities that sign the endpoint's certificate; else the system's
  bool verify_tls = true;
  int64_t connect_timeout_ms = 3'000;
  int64_t request_timeout_ms = 30'000;
  size_t connections_max = 64;
  size_t response_bytes_max = 64u << 20;
  unsigned retries_max = 3;
  Backoff backoff = {};
  // For tests.
  const Clock* clock = nullptr;  // null: the system's
  Sleeper sleeper = {};
};

// For metrics and logs.
struct RemoteCounts {
  uint64_t calls = 0;
  uint64_t retries = 0;
  uint64_t throttled = 0;  // replies, also those that a retry made good
};

class RemoteDatabase final : public Database {
 public:
  // Fails on an endpoint, credentials or settings that cannot be used. Does not connect yet.
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
  // A try that did not give an answer.
  struct Failed {
    Error error;
    enum class Retry { kNever, kAtOnce, kAfterDelay } retry = Retry::kNever;
    int64_t cost = RetryTokens::kRetryCost;
  };
  using Reply = ConnectionPool::Reply;

  RemoteDatabase(const RemoteOptions& options, std::string region, std::unique_ptr<CredentialSource> credentials);

  template <class Response, class Request>
  Result<Response> call_endpoint(std::string_view operation, const Request& request);
  // A reply of status 200, after as many tries as that takes and the options allow.
  Result<Reply> exchange(std::string_view operation, std::string_view body);
  BasicResult<Reply, Failed> try_once(std::string_view target, std::string_view body, ConnectionPool& pool);
  Failed judge(const Reply& reply, const std::shared_ptr<const http::Credentials>& credentials);
  Failed judge(const ExchangeFailure& failure, ConnectionPool& pool) const;
  // Whether the endpoint's clock differs so much that signatures are refused; if so, ours is corrected.
  bool correct_clock(std::optional<std::time_t> date);
  int64_t now_ms() const { return clock_.now_ms() + skew_ms_.load(std::memory_order_relaxed); }

  // Constant after construction.
  const RemoteOptions options_;
  const std::string region_;
  const SystemClock system_clock_;
  const Clock& clock_;
  const std::unique_ptr<CredentialSource> credentials_;
  std::unique_ptr<ConnectionPool> tables_;
  std::unique_ptr<ConnectionPool> streams_;  // null: streams are where tables are

  // Shared between threads.
  RetryTokens tokens_;
  std::atomic<int64_t> skew_ms_ = 0;
  std::atomic<uint64_t> calls_ = 0;
  std::atomic<uint64_t> retries_ = 0;
  std::atomic<uint64_t> throttled_ = 0;
};

}  // namespace trestle
