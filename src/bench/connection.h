// One connection to the endpoint: a socket that never blocks, under TLS when the endpoint is https.
// open() is the exception: it waits for the connection and the handshake, so that measuring begins ready.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string_view>

#include "bench/endpoint.h"
#include "bench/failure.h"

namespace trestle::bench {

// The TLS settings of a run; null for http. Shared because every connection's SSL counts a reference to it.
Result<std::shared_ptr<SSL_CTX>> make_tls(const Endpoint& endpoint, bool verify);

class Connection {
 public:
  static Result<Connection> open(const Endpoint& endpoint, SSL_CTX* tls);
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&& other) noexcept;
  ~Connection();

  int descriptor() const { return descriptor_; }

  // How a read or write ended: kBlocked when the socket must become ready first.
  enum class End { kDone, kBlocked, kClosed };
  struct Transfer {
    End end;
    size_t bytes;
  };
  Transfer read(char* out, size_t capacity);
  Transfer write(std::string_view bytes);
  // Whether bytes may wait above the socket, where epoll does not see them.
  bool buffers_input() const { return ssl_ != nullptr; }

 private:
  explicit Connection(int descriptor) : descriptor_(descriptor) {}
  Result<void> begin_tls(const Endpoint& endpoint, SSL_CTX* tls);

  int descriptor_ = -1;
  SSL* ssl_ = nullptr;
};

}  // namespace trestle::bench
