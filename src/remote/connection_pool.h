// A pool of keep-alive connections to an endpoint. Exchanges a single request and reply on one of them. Never retries:
// that is up to the caller, who can interpret the reply. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "http/connection.h"
#include "http/response.h"
#include "http/signature.h"

namespace trestle {

struct PoolOptions {
  http::Endpoint endpoint;
  std::shared_ptr<SSL_CTX> tls;  // null for http; shared with the connections
  std::string region;
  int64_t connect_timeout_ms = 0;
  int64_t request_timeout_ms = 0;
  size_t connections_max = 0;
  size_t response_bytes_max = 0;
};

// Why there is no reply.
struct ExchangeFailure {
  enum class Kind { kNotSent, kLost, kTimedOut, kUnreadable } kind;
  std::string message;
  bool reused = false;  // it happened on a reused connection, which the endpoint may have closed while it was idle
};

class ConnectionPool {
 public:
  explicit ConnectionPool(PoolOptions options);
  ~ConnectionPool();

  // A pooled connection and the state that is reused by its next request.
  struct PooledConnection;

  // A reply. Its body is in the buffers of its connection, and is valid for the lifetime of the Reply.
  class Reply {
   public:
    Reply(ConnectionPool& pool, std::unique_ptr<PooledConnection> pooled, const http::Response& response, bool padded);
    Reply(Reply&& other) noexcept;
    Reply& operator=(Reply&&) = delete;
    ~Reply();

    int status() const { return response_.status; }
    std::string_view body() const { return response_.body; }
    // Whether kJsonPaddingBytes can be read after the body.
    bool is_padded() const { return padded_; }
    std::optional<std::time_t> date() const { return response_.date; }

   private:
    ConnectionPool* pool_;
    std::unique_ptr<PooledConnection> pooled_;
    http::Response response_;
    bool padded_;
  };

  struct Request {
    std::string_view target;  // DynamoDB_20120810.GetItem
    std::string_view body;
    std::time_t now_s = 0;
    const std::shared_ptr<const http::Credentials>& credentials;
  };
  BasicResult<Reply, ExchangeFailure> exchange(const Request& request);

  // Closes all idle connections.
  void close_idle();

 private:
  BasicResult<std::unique_ptr<PooledConnection>, ExchangeFailure> take();
  void put_back(std::unique_ptr<PooledConnection> pooled);
  void release_slot();
  void write_head(PooledConnection& pooled, const Request& request) const;
  BasicResult<void, ExchangeFailure> send(PooledConnection& pooled) const;
  BasicResult<void, ExchangeFailure> receive(PooledConnection& pooled) const;

  const PoolOptions options_;

  Mutex mutex_;
  ConditionVariable changed_;
  std::vector<std::unique_ptr<PooledConnection>> idle_ GUARDED_BY(mutex_);  // a stack: the last used is reused first
  size_t open_ GUARDED_BY(mutex_) = 0;                                      // idle or in use
};

}  // namespace trestle
