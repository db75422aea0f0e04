// For tests: a port of 127.0.0.1 that nothing listens on, reserved for the lifetime of the object.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

#include "base/check.h"

namespace trestle {

class ClosedPort {
 public:
  ClosedPort() : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    CHECK(bind(descriptor_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    CHECK(getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
  }
  ~ClosedPort() { close(descriptor_); }
  ClosedPort(const ClosedPort&) = delete;
  ClosedPort& operator=(const ClosedPort&) = delete;

  uint16_t port() const { return port_; }

 private:
  const int descriptor_;
  uint16_t port_ = 0;
};

}  // namespace trestle
