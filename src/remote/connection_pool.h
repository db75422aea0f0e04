// Kept connections to one endpoint, and one exchange on one of them: a request's bytes out, a reply's bytes in.
// It tries once; retrying is for whoever knows what the reply means. Threads may share a pool.
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
  bool reused = false;  // on a kept connection, which the endpoint may have closed meanwhile
};

class ConnectionPool {
 public:
  explicit ConnectionPool(PoolOptions options);
  ~ConnectionPool();

  // What a connection keeps from one request to the next.
  struct Kept;

  // A reply. Its body lies in its connection's buffers, and is good while this lives.
  class Reply {
   public:
    Reply(ConnectionPool& pool, std::unique_ptr<Kept> kept, const http::Response& response, bool padded);
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
    std::unique_ptr<Kept> kept_;
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

  // Closes the connections that nobody uses.
  void close_idle();

 private:
  BasicResult<std::unique_ptr<Kept>, ExchangeFailure> take();
  void put_back(std::unique_ptr<Kept> kept);
  void forget_one();
  void write_head(Kept& kept, const Request& request) const;
  BasicResult<void, ExchangeFailure> send(Kept& kept) const;
  BasicResult<void, ExchangeFailure> receive(Kept& kept) const;

  const PoolOptions options_;

  Mutex mutex_;
  ConditionVariable changed_;
  std::vector<std::unique_ptr<Kept>> idle_ GUARDED_BY(mutex_);  // the last used is used first
  size_t open_ GUARDED_BY(mutex_) = 0;                          // idle or in use
};

}  // namespace trestle
