// One connection to an endpoint: a socket, under TLS when the endpoint is https.
//
// It comes in two kinds. Without a transfer timeout it never blocks, for a loop that waits on many. With one it blocks:
// a call is then one write and one read, and each waits that long at most.
// open() always waits, for the connection and the handshake.
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

  // How a read or write ended. kBlocked: the socket must become ready first, or, where there is a timeout, it is over.
  enum class End { kDone, kBlocked, kClosed };
  struct Transfer {
    End end;
    size_t bytes;
  };
  Transfer read(char* out, size_t capacity);
  Transfer write(std::string_view bytes);
  // Whether received bytes may be buffered above the socket, where epoll does not see them.
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
