// A connection to an endpoint: a socket, with TLS if the endpoint is https.
//
// Without a transfer timeout, reads and writes never block, for event loops that wait on many connections. With one,
// they block, each for at most that time. open() always blocks, until the connection and the handshake are complete.
#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <string_view>

#include "http/endpoint.h"
#include "http/failure.h"

namespace trestle::http {

// The TLS settings of all connections to an endpoint; null for http. With verify, certificates must name the host and
// be signed by one of the system's authorities, or by one in ca_file if it is set. Shared because every connection's
// SSL counts a reference to it.
Result<std::shared_ptr<SSL_CTX>> make_tls(const Endpoint& endpoint, bool verify, const std::string& ca_file = {});

struct ConnectionTimeouts {
  int64_t connect_ms = 0;   // 0: the system's limit
  int64_t transfer_ms = 0;  // 0: the connection never blocks
};

class Connection {
 public:
  static Result<Connection> open(const Endpoint& endpoint, SSL_CTX* tls, const ConnectionTimeouts& timeouts = {});
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&& other) noexcept;
  ~Connection();

  int descriptor() const { return descriptor_; }

  // How a read or write ended. kBlocked: the socket is not ready, or, with a transfer timeout, the timeout has expired.
  enum class End { kDone, kBlocked, kClosed };
  struct Transfer {
    End end;
    size_t bytes;
  };
  Transfer read(char* out, size_t capacity);
  Transfer write(std::string_view bytes);
  // Whether received bytes may be buffered outside the socket, where epoll does not see them.
  bool buffers_input() const { return ssl_ != nullptr; }
  // Whether an idle connection is unusable: the peer closed it, or sent unexpected bytes.
  bool is_stale() const;

 private:
  explicit Connection(int descriptor) : descriptor_(descriptor) {}
  Result<void> begin_tls(const Endpoint& endpoint, SSL_CTX* tls);

  int descriptor_ = -1;
  SSL* ssl_ = nullptr;
};

}  // namespace trestle::http
