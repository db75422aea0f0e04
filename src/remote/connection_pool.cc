#include "remote/connection_pool.h"

#include <fmt/format.h>
#include <zlib.h>

#include <iterator>

#include "base/request_signature.h"
#include "protocol/json/json_input.h"

namespace trestle {
namespace {

using Steady = std::chrono::steady_clock;
using Kind = ExchangeFailure::Kind;

constexpr size_t kBufferBytes = 64u << 10;
// A connection that has been idle for longer is checked before it is reused.
constexpr auto kTrustedIdle = std::chrono::seconds(1);

uint32_t crc32_of(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

struct ConnectionPool::PooledConnection {
  http::Connection connection;
  http::ResponseReader reader;
  std::string sending;  // head and body
  std::string buffer;   // received bytes; padded at the end, so that JSON can be parsed in place
  std::shared_ptr<const http::Credentials> credentials;  // those of the signer
  std::optional<http::Signer> signer;
  Steady::time_point idle_since = {};
  bool reused = false;
};

ConnectionPool::ConnectionPool(PoolOptions options) : options_(std::move(options)) {}
ConnectionPool::~ConnectionPool() = default;

ConnectionPool::Reply::Reply(ConnectionPool& pool, std::unique_ptr<PooledConnection> pooled,
                             const http::Response& response, bool padded)
    : pool_(&pool), pooled_(std::move(pooled)), response_(response), padded_(padded) {}

ConnectionPool::Reply::Reply(Reply&& other) noexcept = default;

ConnectionPool::Reply::~Reply() {
  if (pooled_ == nullptr) return;
  if (response_.closes_connection) {
    pooled_.reset();
    pool_->release_slot();
  } else {
    pool_->put_back(std::move(pooled_));
  }
}

BasicResult<std::unique_ptr<ConnectionPool::PooledConnection>, ExchangeFailure> ConnectionPool::take() {
  {
    const auto give_up_at = Steady::now() + std::chrono::milliseconds(options_.request_timeout_ms);
    MutexLock lock(mutex_);
    while (idle_.empty() && open_ >= options_.connections_max) {
      const auto now = Steady::now();
      if (now >= give_up_at) {
        return std::unexpected(ExchangeFailure{
            .kind = Kind::kNotSent, .message = fmt::format("all {} connections are in use", options_.connections_max)});
      }
      changed_.wait_for(mutex_, give_up_at - now);
    }
    while (!idle_.empty()) {
      std::unique_ptr<PooledConnection> pooled = std::move(idle_.back());
      idle_.pop_back();
      if (Steady::now() - pooled->idle_since < kTrustedIdle || !pooled->connection.is_stale()) return pooled;
      --open_;
    }
    ++open_;
  }
  auto opened =
      http::Connection::open(options_.endpoint, options_.tls.get(),
                             {.connect_ms = options_.connect_timeout_ms, .transfer_ms = options_.request_timeout_ms});
  if (!opened.has_value()) {
    release_slot();
    return std::unexpected(ExchangeFailure{.kind = Kind::kNotSent, .message = std::move(opened.error().message)});
  }
  return std::unique_ptr<PooledConnection>(
      new PooledConnection{.connection = std::move(*opened),
                           .reader = http::ResponseReader(options_.response_bytes_max),
                           .sending = {},
                           .buffer = std::string(kBufferBytes, '\0'),
                           .credentials = nullptr,
                           .signer = {}});
}

void ConnectionPool::put_back(std::unique_ptr<PooledConnection> pooled) {
  constexpr size_t kReusedBytesMax = 1u << 20;
  if (pooled->sending.capacity() > kReusedBytesMax) pooled->sending = {};
  pooled->idle_since = Steady::now();
  pooled->reused = true;
  MutexLock lock(mutex_);
  idle_.push_back(std::move(pooled));
  changed_.notify_one();
}

void ConnectionPool::release_slot() {
  MutexLock lock(mutex_);
  --open_;
  changed_.notify_one();
}

void ConnectionPool::close_idle() {
  std::vector<std::unique_ptr<PooledConnection>> closing;
  MutexLock lock(mutex_);
  closing.swap(idle_);
  open_ -= closing.size();
  changed_.notify_all();
}

void ConnectionPool::write_head(PooledConnection& pooled, const Request& request) const {
  if (pooled.credentials != request.credentials) {
    pooled.credentials = request.credentials;
    pooled.signer.emplace(*request.credentials, options_.region);
  }
  const std::string date_time = http::format_date_time(request.now_s);
  const std::string host = options_.endpoint.host_header();
  const std::string signature = pooled.signer->sign({.host = host,
                                                     .path = options_.endpoint.path,
                                                     .date_time = date_time,
                                                     .target = request.target,
                                                     .body = request.body});
  pooled.sending.clear();
  auto out = std::back_inserter(pooled.sending);
  fmt::format_to(out,
                 "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: {}\r\n"
                 "X-Amz-Date: {}\r\n",
                 options_.endpoint.path, host, request.target, date_time);
  if (!request.credentials->session_token.empty()) {
    fmt::format_to(out, "X-Amz-Security-Token: {}\r\n", request.credentials->session_token);
  }
  const std::string authorization = authorization_value(
      {.access_key = request.credentials->access_key,
       .scope = {.date = std::string_view(date_time).substr(0, 8), .region = options_.region, .service = "dynamodb"},
       .signed_headers = pooled.signer->signed_headers(),
       .signature = signature});
  fmt::format_to(out, "Authorization: {}\r\nContent-Length: {}\r\n\r\n", authorization, request.body.size());
}

BasicResult<void, ExchangeFailure> ConnectionPool::send(PooledConnection& pooled) const {
  std::string_view rest = pooled.sending;
  while (!rest.empty()) {
    const auto [end, bytes] = pooled.connection.write(rest);
    if (end == http::Connection::End::kBlocked) {
      return std::unexpected(
          ExchangeFailure{.kind = Kind::kTimedOut, .message = "the request was not accepted in time"});
    }
    if (end == http::Connection::End::kClosed) {
      return std::unexpected(
          ExchangeFailure{.kind = Kind::kLost, .message = "the connection closed while a request was sent"});
    }
    rest.remove_prefix(bytes);
  }
  return {};
}

BasicResult<void, ExchangeFailure> ConnectionPool::receive(PooledConnection& pooled) const {
  const auto failed = [](Kind kind, std::string message) {
    return std::unexpected(ExchangeFailure{.kind = kind, .message = std::move(message)});
  };
  const auto began = Steady::now();
  pooled.reader.reset();
  while (true) {
    const auto [end, bytes] = pooled.connection.read(pooled.buffer.data(), pooled.buffer.size() - kJsonPaddingBytes);
    if (end == http::Connection::End::kBlocked) return failed(Kind::kTimedOut, "no reply arrived in time");
    if (end == http::Connection::End::kClosed) return failed(Kind::kLost, "the connection closed before the reply");
    const http::ResponseState state = pooled.reader.feed({pooled.buffer.data(), bytes});
    if (state == http::ResponseState::kMalformed) {
      return failed(Kind::kUnreadable, fmt::format("the reply is not HTTP/1.1 with a length, or exceeds {} bytes",
                                                   options_.response_bytes_max));
    }
    if (state == http::ResponseState::kComplete) break;
    if (Steady::now() - began > std::chrono::milliseconds(options_.request_timeout_ms)) {
      return failed(Kind::kTimedOut, "the reply was not complete in time");
    }
  }
  const http::Response& response = pooled.reader.response();
  if (response.crc32 && *response.crc32 != crc32_of(response.body)) {
    return failed(Kind::kLost, "the checksum of the reply is wrong");
  }
  return {};
}

BasicResult<ConnectionPool::Reply, ExchangeFailure> ConnectionPool::exchange(const Request& request) {
  TRY_INTO(std::unique_ptr<PooledConnection> pooled, take());
  write_head(*pooled, request);
  pooled->sending.append(request.body);
  auto done = send(*pooled);
  if (done.has_value()) done = receive(*pooled);
  if (!done.has_value()) {
    done.error().reused = pooled->reused;
    pooled.reset();
    release_slot();
    return std::unexpected(std::move(done).error());
  }
  const http::Response response = pooled->reader.response();
  const char* const begin = pooled->buffer.data();
  const bool in_place = response.body.data() >= begin && response.body.data() < begin + pooled->buffer.size();
  return Reply(*this, std::move(pooled), response, in_place);
}

}  // namespace trestle
