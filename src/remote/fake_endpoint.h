// For tests: an endpoint that replies with scripted byte strings in order, whatever the request. Listens on a free port
// of 127.0.0.1 and reads whole requests. After the last step of its script, it repeats that step.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"

namespace trestle {

class FakeEndpoint {
 public:
  struct Step {
    std::string bytes;
    bool closes = false;  // close the connection after the bytes
  };

  explicit FakeEndpoint(std::vector<Step> script) : script_(std::move(script)) {
    listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    CHECK(bind(listening_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    CHECK(listen(listening_, 64) == 0);
    CHECK(getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~FakeEndpoint() {
    shutdown(listening_, SHUT_RDWR);
    acceptor_.join();
    {
      MutexLock lock(mutex_);
      for (const int fd : connections_) shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    for (const int fd : connections_) close(fd);
    close(listening_);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<std::string> requests() {
    MutexLock lock(mutex_);
    return requests_;
  }
  size_t connections() {
    MutexLock lock(mutex_);
    return connections_.size();
  }
  // Closes the open connections, as a restart would.
  void end_connections() {
    MutexLock lock(mutex_);
    for (const int fd : connections_) shutdown(fd, SHUT_RDWR);
  }

 private:
  void accept_all() {
    while (true) {
      const int fd = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      MutexLock lock(mutex_);
      connections_.push_back(fd);
      threads_.emplace_back([this, fd] { serve(fd); });
    }
  }
  void serve(int fd) {
    while (true) {
      std::string request;
      if (!read_request(fd, request)) return;
      Step step;
      {
        MutexLock lock(mutex_);
        step = script_[std::min(requests_.size(), script_.size() - 1)];
        requests_.push_back(std::move(request));
      }
      if (!step.bytes.empty()) (void)!send(fd, step.bytes.data(), step.bytes.size(), MSG_NOSIGNAL);
      if (!step.closes) continue;
      shutdown(fd, SHUT_RDWR);
      return;
    }
  }
  static bool read_request(int fd, std::string& request) {
    char bytes[4096];
    while (true) {
      const size_t end = request.find("\r\n\r\n");
      if (end != request.npos) {
        const size_t length = std::strtoul(&request[request.find("Content-Length: ") + 16], nullptr, 10);
        if (request.size() >= end + 4 + length) return true;
      }
      const ssize_t n = recv(fd, bytes, sizeof bytes, 0);
      if (n <= 0) return false;
      request.append(bytes, static_cast<size_t>(n));
    }
  }

  const std::vector<Step> script_;
  int listening_;
  int port_ = 0;
  std::thread acceptor_;

  Mutex mutex_;
  std::vector<std::string> requests_ GUARDED_BY(mutex_);
  std::vector<int> connections_;      // owned by the acceptor thread; other threads need the mutex
  std::vector<std::thread> threads_;  // the acceptor's, until it ends
};

inline std::string http_reply(int status, std::string_view body, std::string_view headers = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " S\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(headers) + "\r\n" + std::string(body);
}

}  // namespace trestle
