#include "remote/connection_pool.h"

#include <fmt/format.h>
#include <zlib.h>

#include <iterator>

#include "protocol/json/json_input.h"

namespace trestle {
namespace {

using Steady = std::chrono::steady_clock;
using Kind = ExchangeFailure::Kind;

constexpr size_t kBufferBytes = 64u << 10;
// A connection that rested longer is looked at before it is used again.
constexpr auto kTrustedRest = std::chrono::seconds(1);

uint32_t crc32_of(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

struct ConnectionPool::Kept {
  http::Connection connection;
  http::ResponseReader reader;
  std::string sending;  // head and body
  std::string buffer;   // what is received lies here; the end is left free, so that JSON can be read in place
  std::shared_ptr<const http::Credentials> credentials;  // the signer's
  std::optional<http::Signer> signer;
  Steady::time_point rested_since = {};
  bool reused = false;
};

ConnectionPool::ConnectionPool(PoolOptions options) : options_(std::move(options)) {}
ConnectionPool::~ConnectionPool() = default;

ConnectionPool::Reply::Reply(ConnectionPool& pool, std::unique_ptr<Kept> kept, const http::Response& response,
                             bool padded)
    : pool_(&pool), kept_(std::move(kept)), response_(response), padded_(padded) {}

ConnectionPool::Reply::Reply(Reply&& other) noexcept = default;

ConnectionPool::Reply::~Reply() {
  if (kept_ == nullptr) return;
  if (response_.closes_connection) {
    kept_.reset();
    pool_->forget_one();
  } else {
    pool_->put_back(std::move(kept_));
  }
}

BasicResult<std::unique_ptr<ConnectionPool::Kept>, ExchangeFailure> ConnectionPool::take() {
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
      std::unique_ptr<Kept> kept = std::move(idle_.back());
      idle_.pop_back();
      if (Steady::now() - kept->rested_since < kTrustedRest || !kept->connection.is_stale()) return kept;
      --open_;
    }
    ++open_;
  }
  auto opened =
      http::Connection::open(options_.endpoint, options_.tls.get(),
                             {.connect_ms = options_.connect_timeout_ms, .transfer_ms = options_.request_timeout_ms});
  if (!opened.has_value()) {
    forget_one();
    return std::unexpected(ExchangeFailure{.kind = Kind::kNotSent, .message = std::move(opened.error().message)});
  }
  return std::unique_ptr<Kept>(new Kept{.connection = std::move(*opened),
                                        .reader = http::ResponseReader(options_.response_bytes_max),
                                        .sending = {},
                                        .buffer = std::string(kBufferBytes, '\0'),
                                        .credentials = nullptr,
                                        .signer = {}});
}

void ConnectionPool::put_back(std::unique_ptr<Kept> kept) {
  constexpr size_t kKeptBytesMax = 1u << 20;
  if (kept->sending.capacity() > kKeptBytesMax) kept->sending = {};
  kept->rested_since = Steady::now();
  kept->reused = true;
  MutexLock lock(mutex_);
  idle_.push_back(std::move(kept));
  changed_.notify_one();
}

void ConnectionPool::forget_one() {
  MutexLock lock(mutex_);
  --open_;
  changed_.notify_one();
}

void ConnectionPool::close_idle() {
  std::vector<std::unique_ptr<Kept>> closing;
  MutexLock lock(mutex_);
  closing.swap(idle_);
  open_ -= closing.size();
  changed_.notify_all();
}

void ConnectionPool::write_head(Kept& kept, const Request& request) const {
  if (kept.credentials != request.credentials) {
    kept.credentials = request.credentials;
    kept.signer.emplace(*request.credentials, options_.region);
  }
  const std::string date_time = http::format_date_time(request.now_s);
  const std::string host = options_.endpoint.host_header();
  const std::string signature = kept.signer->sign({.host = host,
                                                   .path = options_.endpoint.path,
                                                   .date_time = date_time,
                                                   .target = request.target,
                                                   .body = request.body});
  kept.sending.clear();
  auto out = std::back_inserter(kept.sending);
  fmt::format_to(out,
                 "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: {}\r\n"
                 "X-Amz-Date: {}\r\n",
                 options_.endpoint.path, host, request.target, date_time);
  if (!request.credentials->session_token.empty()) {
    fmt::format_to(out, "X-Amz-Security-Token: {}\r\n", request.credentials->session_token);
  }
  fmt::format_to(out,
                 "Authorization: AWS4-HMAC-SHA256 Credential={}/{}/{}/dynamodb/aws4_request, SignedHeaders={}, "
                 "Signature={}\r\nContent-Length: {}\r\n\r\n",
                 request.credentials->access_key, std::string_view(date_time).substr(0, 8), options_.region,
                 kept.signer->signed_headers(), signature, request.body.size());
}

BasicResult<void, ExchangeFailure> ConnectionPool::send(Kept& kept) const {
  std::string_view rest = kept.sending;
  while (!rest.empty()) {
    const auto [end, bytes] = kept.connection.write(rest);
    if (end == http::Connection::End::kBlocked) {
      return std::unexpected(ExchangeFailure{.kind = Kind::kTimedOut, .message = "the request was not taken in time"});
    }
    if (end == http::Connection::End::kClosed) {
      return std::unexpected(
          ExchangeFailure{.kind = Kind::kLost, .message = "the connection closed while a request was sent"});
    }
    rest.remove_prefix(bytes);
  }
  return {};
}

BasicResult<void, ExchangeFailure> ConnectionPool::receive(Kept& kept) const {
  const auto failed = [](Kind kind, std::string message) {
    return std::unexpected(ExchangeFailure{.kind = kind, .message = std::move(message)});
  };
  const auto began = Steady::now();
  kept.reader.reset();
  while (true) {
    const auto [end, bytes] = kept.connection.read(kept.buffer.data(), kept.buffer.size() - kJsonPaddingBytes);
    if (end == http::Connection::End::kBlocked) return failed(Kind::kTimedOut, "no reply came in time");
    if (end == http::Connection::End::kClosed) return failed(Kind::kLost, "the connection closed before the reply");
    const http::ResponseState state = kept.reader.feed({kept.buffer.data(), bytes});
    if (state == http::ResponseState::kMalformed) {
      return failed(Kind::kUnreadable, fmt::format("the reply is not HTTP/1.1 with a length, or exceeds {} bytes",
                                                   options_.response_bytes_max));
    }
    if (state == http::ResponseState::kComplete) break;
    if (Steady::now() - began > std::chrono::milliseconds(options_.request_timeout_ms)) {
      return failed(Kind::kTimedOut, "the reply did not end in time");
    }
  }
  const http::Response& response = kept.reader.response();
  if (response.crc32 && *response.crc32 != crc32_of(response.body)) {
    return failed(Kind::kLost, "the reply does not have the checksum it was sent with");
  }
  return {};
}

BasicResult<ConnectionPool::Reply, ExchangeFailure> ConnectionPool::exchange(const Request& request) {
  TRY_INTO(std::unique_ptr<Kept> kept, take());
  write_head(*kept, request);
  kept->sending.append(request.body);
  auto done = send(*kept);
  if (done.has_value()) done = receive(*kept);
  if (!done.has_value()) {
    done.error().reused = kept->reused;
    kept.reset();
    forget_one();
    return std::unexpected(std::move(done).error());
  }
  const http::Response response = kept->reader.response();
  const char* const begin = kept->buffer.data();
  const bool in_place = response.body.data() >= begin && response.body.data() < begin + kept->buffer.size();
  return Reply(*this, std::move(kept), response, in_place);
}

}  // namespace trestle
