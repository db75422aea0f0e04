#include "server/http/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <future>

#include "base/start_threads.h"

namespace trestle {

namespace {

constexpr int kBacklog = 1024;
constexpr int kAcceptsPerTurn = 64;
constexpr size_t kRepliesToCompressMax = 1024;
constexpr int kCompressionNiceness = 5;  // replies that need no compression should not be delayed
constexpr std::string_view kTooManyConnections =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 21\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    "Too many connections\n";

int open_spare() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

constexpr int kPortAttempts = 20;

struct BindFailure {
  int code = 0;  // errno
  std::string message;
};

std::unexpected<BindFailure> bind_failure(std::string_view what, const std::string& address, uint16_t port) {
  const int code = errno;
  return std::unexpected(BindFailure{code, fmt::format("{} {} port {}: {}", what, address, port, std::strerror(code))});
}

BasicResult<int, BindFailure> bind_socket(const std::string& address, uint16_t port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (code != 0) return std::unexpected(BindFailure{0, fmt::format("address {}: {}", address, gai_strerror(code))});
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return bind_failure("socket for", address, port);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // Accepted sockets inherit it.
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, kBacklog) != 0) {
    auto why = bind_failure("listen on", address, port);
    close(fd);
    return why;
  }
  return fd;
}

std::string describe(const sockaddr_storage& address) {
  char host[INET6_ADDRSTRLEN] = "?";
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
    return fmt::format("[{}]:{}", host, ntohs(v6.sin6_port));
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
  inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
  return fmt::format("{}:{}", host, ntohs(v4.sin_port));
}

uint16_t bound_port(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

// Binds the sockets of both addresses. A port that the kernel picks must be free on both.
BasicResult<std::vector<int>, std::string> bind_sockets(const ListenerOptions& options) {
  for (int attempt = 1;; ++attempt) {
    const auto first = bind_socket(options.address, options.port);
    if (!first) return std::unexpected(first.error().message);
    if (options.second_address.empty()) return std::vector{*first};
    const auto second = bind_socket(options.second_address, bound_port(*first));
    if (second) return std::vector{*first, *second};
    const int code = second.error().code;
    if (code == EADDRNOTAVAIL || code == EAFNOSUPPORT) return std::vector{*first};
    close(*first);
    const bool may_try_again = code == EADDRINUSE && options.port == 0 && attempt < kPortAttempts;
    if (!may_try_again) return std::unexpected(second.error().message);
  }
}

}  // namespace

BasicResult<std::unique_ptr<Listener>, std::string> Listener::start(HttpHandler& handler, ListenerOptions options) {
  if (options.loops == 0) options.loops = std::max(1u, std::thread::hardware_concurrency());
  std::signal(SIGPIPE, SIG_IGN);
  TRY_INTO(std::vector<int> fds, bind_sockets(options));
  return std::unique_ptr<Listener>(new Listener(handler, std::move(options), std::move(fds)));
}

Listener::Listener(HttpHandler& handler, ListenerOptions options, std::vector<int> fds)
    : options_(std::move(options)),
      fds_(std::move(fds)),
      port_(bound_port(fds_.front())),
      buffers_(std::make_shared<BufferBudget>(options_.session.buffered_bytes_max)),
      compressors_("compression", options_.loops, kRepliesToCompressMax, kCompressionNiceness),
      spare_fd_(open_spare()) {
  const SessionPool::Shared shared{.tls = options_.tls, .buffers = buffers_, .compressors = &compressors_};
  for (unsigned i = 0; i < options_.loops; ++i) {
    pools_.push_back(std::make_shared<SessionPool>(handler, options_.session, shared, [this] { connection_closed(); }));
  }
  for (const int fd : fds_) pools_.front()->loop().add(fd, EPOLLIN, this);
  start_threads(
      threads_, pools_.size(), [this](size_t i) { pools_[i]->run(); },
      [this] {
        for (const auto& pool : pools_) pool->stop();
      });
}

Listener::~Listener() {
  stop();
  if (spare_fd_ >= 0) close(spare_fd_);
}

void Listener::on_events(uint32_t) {
  for (const int fd : fds_) accept_from(fd);
}

void Listener::accept_from(int listening) {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int fd = accept4(listening, reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      take(fd, describe(address));
    } else if (errno == EMFILE || errno == ENFILE) {
      return shed_one_connection();
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

void Listener::take(int fd, std::string peer) {
  if (open_.load() >= options_.connections_max) {
    refused_.fetch_add(1);
    // Read what the client sent: closing a socket with unread data would reset the connection before the client has
    // read the reply.
    char ignored[4096];
    if (!options_.tls) send(fd, kTooManyConnections.data(), kTooManyConnections.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(fd, SHUT_WR);
    while (recv(fd, ignored, sizeof ignored, MSG_DONTWAIT) > 0) continue;
    close(fd);
    return;
  }
  open_.fetch_add(1);
  accepted_.fetch_add(1);
  pools_[next_pool_++ % pools_.size()]->adopt(fd, std::move(peer));
}

// Without a free descriptor a connection can be neither accepted nor rejected, and epoll would report it forever.
void Listener::shed_one_connection() {
  refused_.fetch_add(1);
  close(spare_fd_);
  for (const int listening : fds_) {
    const int fd = accept(listening, nullptr, nullptr);
    if (fd < 0) continue;
    close(fd);
    break;
  }
  spare_fd_ = open_spare();
}

void Listener::connection_closed() {
  if (open_.fetch_sub(1) != 1) return;
  MutexLock lock(mutex_);
  all_closed_.notify_all();
}

ListenerCounts Listener::counts() const {
  ListenerCounts counts{.open = open_.load(),
                        .accepted = accepted_.load(),
                        .refused = refused_.load(),
                        .buffered_bytes = buffers_->held()};
  for (const auto& pool : pools_) counts.requests += pool->request_count();
  return counts;
}

void Listener::stop() {
  {
    MutexLock lock(mutex_);
    if (std::exchange(stopped_, true)) return;
  }
  // On the accepting thread, so that no connection is accepted while or after the socket closes.
  std::promise<void> closed;
  pools_.front()->loop().post([&] {
    for (const int fd : fds_) {
      pools_.front()->loop().remove(fd);
      close(fd);
    }
    closed.set_value();
  });
  closed.get_future().wait();
  for (const auto& pool : pools_) pool->drain();
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.stop_grace_ms);
  {
    MutexLock lock(mutex_);
    while (open_.load() != 0) {
      const auto left = until - std::chrono::steady_clock::now();
      if (left <= left.zero()) break;
      all_closed_.wait_for(mutex_, left);
    }
  }
  for (const auto& pool : pools_) pool->stop();
  for (std::thread& thread : threads_) thread.join();
  compressors_.stop();
}

}  // namespace trestle
