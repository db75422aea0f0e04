#include "remote/remote_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "base/random_id.h"
#include "protocol/client/client_error_json.h"
#include "protocol/client/client_json.h"
#include "remote/service_endpoint.h"

namespace trestle {
namespace {

bool is_stream_operation(std::string_view operation) {
  return operation == "ListStreams" || operation == "DescribeStream" || operation == "GetShardIterator" ||
         operation == "GetRecords";
}

std::string find_region(const RemoteOptions& options, std::string_view host) {
  if (!options.region.empty()) return options.region;
  for (const char* variable : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (std::string region = http::environment(variable); !region.empty()) return region;
  }
  if (auto region = region_of_host(host)) return *region;
  const ProfileSettings settings = read_profile(profile_files(), profile_name(options.profile));
  const auto region = settings.find("region");
  return region == settings.end() ? "us-east-1" : region->second;
}

bool is_throttling(ErrorCode code) {
  return code == ErrorCode::kProvisionedThroughputExceeded || code == ErrorCode::kThrottling ||
         code == ErrorCode::kRequestLimitExceeded;
}

bool is_about_time(const ReplyError& reply) {
  if (reply.name == "RequestTimeTooSkewed" || reply.name == "RequestExpired" || reply.name == "RequestInTheFuture") {
    return true;
  }
  if (reply.name != "InvalidSignatureException") return false;
  const std::string& message = reply.error.message;
  return message.find("Signature expired") != message.npos || message.find("Signature not yet current") != message.npos;
}

bool is_about_expiry(std::string_view name) {
  return name == "ExpiredTokenException" || name == "ExpiredToken" || name == "UnrecognizedClientException";
}

// Adds a token so that a transaction is applied once, however often it is sent.
template <class Request>
void add_request_token(const Request& request, std::string& body) {
  if constexpr (requires { request.client_request_token; }) {
    if (request.client_request_token) return;
    body.pop_back();  // reopen the object
    body.append(fmt::format(",\"ClientRequestToken\":\"{}\"}}", random_uuid()));
  }
}

}  // namespace

Result<std::unique_ptr<RemoteDatabase>> RemoteDatabase::open(const RemoteOptions& options) {
  const auto endpoint = http::parse_endpoint(options.endpoint);
  if (!endpoint.has_value()) return invalid(endpoint.error().message);
  if (options.connections_max == 0) return invalid("a remote database needs at least one connection");
  const auto tls = http::make_tls(*endpoint, options.verify_tls, options.ca_file);
  if (!tls.has_value()) return invalid(tls.error().message);
  TRY_INTO(auto credentials, CredentialSource::open({.static_credentials = options.credentials,
                                                     .profile = options.profile,
                                                     .required = is_amazon_host(endpoint->host)}));
  std::unique_ptr<RemoteDatabase> database(
      new RemoteDatabase(options, find_region(options, endpoint->host), std::move(credentials)));
  PoolOptions pool{.endpoint = *endpoint,
                   .tls = *tls,
                   .region = database->region_,
                   .connect_timeout_ms = options.connect_timeout_ms,
                   .request_timeout_ms = options.request_timeout_ms,
                   .connections_max = options.connections_max,
                   .response_bytes_max = options.response_bytes_max};
  database->tables_ = std::make_unique<ConnectionPool>(pool);
  if (is_amazon_host(endpoint->host)) {
    pool.endpoint = streams_endpoint(*endpoint);
    database->streams_ = std::make_unique<ConnectionPool>(std::move(pool));
  }
  return database;
}

RemoteDatabase::RemoteDatabase(const RemoteOptions& options, std::string region,
                               std::unique_ptr<CredentialSource> credentials)
    : options_(options),
      region_(std::move(region)),
      clock_(options.clock != nullptr ? *options.clock : system_clock_),
      credentials_(std::move(credentials)) {}

RemoteCounts RemoteDatabase::counts() const {
  return {.calls = calls_.load(), .retries = retries_.load(), .throttled = throttled_.load()};
}

template <class Response, class Request>
Result<Response> RemoteDatabase::call_endpoint(std::string_view operation, const Request& request) {
  TRY(check_writable(request));
  std::string body;
  write_request_json(request, body);
  add_request_token(request, body);
  TRY_INTO(const Reply reply, exchange(operation, body));
  if constexpr (std::is_empty_v<Response>) return Response{};  // DynamoDB's reply has no body
  const auto read = [&]() -> Result<Response> {
    TRY_INTO(const JsonInput input, reply.is_padded() ? parse_padded_reply(reply.body()) : parse_reply(reply.body()));
    Response response;
    TRY(read_response_json(input, response));
    return response;
  };
  Result<Response> response = read();
  if (response.has_value()) return response;
  return failure(ErrorCode::kInternal, fmt::format("{}: the reply to {} cannot be read: {}", options_.endpoint,
                                                   operation, response.error().message));
}

#define TRESTLE_DEFINE(Name, name)                                                            \
  Result<Name##Response> RemoteDatabase::name(const Name##Request& request, Call& /*call*/) { \
    return call_endpoint<Name##Response>(#Name, request);                                     \
  }
TRESTLE_OPERATIONS(TRESTLE_DEFINE)
#undef TRESTLE_DEFINE

Result<RemoteDatabase::Reply> RemoteDatabase::exchange(std::string_view operation, std::string_view body) {
  calls_.fetch_add(1, std::memory_order_relaxed);
  const bool stream = is_stream_operation(operation);
  ConnectionPool& pool = stream && streams_ != nullptr ? *streams_ : *tables_;
  const std::string target = fmt::format("DynamoDB{}_20120810.{}", stream ? "Streams" : "", operation);
  int64_t last_cost = 0;
  for (unsigned failures = 0;;) {
    auto reply = try_once(target, body, pool);
    if (reply.has_value()) {
      tokens_.give(last_cost != 0 ? last_cost : RetryTokens::kSuccessGain);
      return std::move(*reply);
    }
    Failed& failed = reply.error();
    if (failed.retry == Failed::Retry::kNever || failures++ == options_.retries_max || !tokens_.take(failed.cost)) {
      return std::unexpected(std::move(failed.error));
    }
    last_cost = failed.cost;
    retries_.fetch_add(1, std::memory_order_relaxed);
    if (failed.retry == Failed::Retry::kAfterDelay) {
      sleep_for_ms(options_.sleeper, options_.backoff.delay_ms(failures));
    }
  }
}

BasicResult<RemoteDatabase::Reply, RemoteDatabase::Failed> RemoteDatabase::try_once(std::string_view target,
                                                                                    std::string_view body,
                                                                                    ConnectionPool& pool) {
  const std::shared_ptr<const http::Credentials> credentials = credentials_->current();
  auto reply = pool.exchange({.target = target, .body = body, .now_s = now_ms() / 1000, .credentials = credentials});
  if (!reply.has_value()) return std::unexpected(classify(reply.error(), pool));
  if (reply->status() != 200) return std::unexpected(classify(*reply, credentials));
  return std::move(*reply);
}

RemoteDatabase::Failed RemoteDatabase::classify(const ExchangeFailure& failure, ConnectionPool& pool) const {
  Failed failed;
  failed.error.message = fmt::format("{}: {}", options_.endpoint, failure.message);
  switch (failure.kind) {
    case ExchangeFailure::Kind::kNotSent:
      failed.error.code = ErrorCode::kServiceUnavailable;
      failed.retry = Failed::Retry::kAfterDelay;
      break;
    case ExchangeFailure::Kind::kLost:
      // If the endpoint closed one idle connection, it has probably closed the others.
      if (failure.reused) pool.close_idle();
      failed.retry = failure.reused ? Failed::Retry::kAtOnce : Failed::Retry::kAfterDelay;
      break;
    case ExchangeFailure::Kind::kTimedOut:
      failed.retry = Failed::Retry::kAfterDelay;
      failed.cost = RetryTokens::kTimeoutCost;
      break;
    case ExchangeFailure::Kind::kUnreadable:
      break;
  }
  return failed;
}

RemoteDatabase::Failed RemoteDatabase::classify(const Reply& reply,
                                                const std::shared_ptr<const http::Credentials>& credentials) {
  ReplyError read = read_error_json(reply.status(), reply.body());
  Failed failed;
  if (is_throttling(read.error.code)) {
    throttled_.fetch_add(1, std::memory_order_relaxed);
    failed.retry = Failed::Retry::kAfterDelay;
  } else if (reply.status() >= 500 && reply.status() != 501) {
    failed.retry = Failed::Retry::kAfterDelay;
  } else if (read.error.code == ErrorCode::kTransactionInProgress) {
    failed.retry = Failed::Retry::kAfterDelay;
  } else if ((is_about_time(read) && correct_clock(reply.date())) ||
             (is_about_expiry(read.name) && credentials_->reloaded() != credentials)) {
    failed.retry = Failed::Retry::kAtOnce;
  }
  failed.error = std::move(read.error);
  return failed;
}

bool RemoteDatabase::correct_clock(std::optional<std::time_t> date) {
  constexpr int64_t kToleratedMs = 4 * 60'000;  // DynamoDB itself tolerates a little more
  if (!date || std::abs(*date * 1000 - now_ms()) < kToleratedMs) return false;
  skew_ms_.store(*date * 1000 - clock_.now_ms(), std::memory_order_relaxed);
  return true;
}

}  // namespace trestle
