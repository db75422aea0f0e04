// A blocking HTTP client for tests: sends arbitrary bytes and reads one reply at a time. Every wait is limited to a
// minute, so that a broken server fails a test instead of hanging it.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/http/http.h"

namespace trestle {

struct TestReply {
  int status = 0;  // 0: the connection ended before a whole reply
  std::string head;
  std::string body;

  bool has(std::string_view line) const { return head.find(line) != head.npos; }
};

class TestClient {
 public:
  explicit TestClient(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval wait{.tv_sec = 60, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~TestClient() { close(fd_); }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  bool connected() const { return connected_; }
  int fd() const { return fd_; }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }
  void end_sending() { shutdown(fd_, SHUT_WR); }

  TestReply read_reply(bool to_head = false) {
    TestReply reply;
    size_t end;
    while ((end = held_.find("\r\n\r\n")) == held_.npos) {
      if (!receive()) return reply;
    }
    reply.head = held_.substr(0, end + 4);
    held_.erase(0, end + 4);
    const size_t length_at = reply.head.find("Content-Length: ");
    const size_t length =
        length_at == reply.head.npos || to_head ? 0 : std::strtoul(&reply.head[length_at + 16], nullptr, 10);
    while (held_.size() < length) {
      if (!receive()) return reply;
    }
    reply.body = held_.substr(0, length);
    held_.erase(0, length);
    reply.status = std::atoi(reply.head.c_str() + 9);
    return reply;
  }

  // True if the server closes the connection cleanly (no reset) without sending another byte.
  bool ended() { return held_.empty() && !receive() && orderly_end_; }

 private:
  bool receive() {
    char bytes[65536];
    const ssize_t n = recv(fd_, bytes, sizeof bytes, 0);
    orderly_end_ = n == 0;
    if (n <= 0) return false;
    held_.append(bytes, static_cast<size_t>(n));
    return true;
  }

  int fd_;
  bool connected_;
  bool orderly_end_ = false;
  std::string held_;
};

}  // namespace trestle
