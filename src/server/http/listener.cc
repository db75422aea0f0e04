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

namespace trestle {

namespace {

constexpr int kBacklog = 1024;
constexpr int kAcceptsPerTurn = 64;
constexpr std::string_view kTooManyConnections =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 21\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    "Too many connections\n";

int open_spare() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

std::string error_text(std::string_view what, const ListenerOptions& options) {
  return fmt::format("{} {} port {}: {}", what, options.address, options.port, std::strerror(errno));
}

BasicResult<int, std::string> bind_socket(const ListenerOptions& options) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(options.address.c_str(), std::to_string(options.port).c_str(), &hints, &found);
  if (code != 0) return std::unexpected(fmt::format("address {}: {}", options.address, gai_strerror(code)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::unexpected(error_text("socket for", options));
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // Accepted sockets inherit it.
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, kBacklog) != 0) {
    std::string why = error_text("listen on", options);
    close(fd);
    return std::unexpected(std::move(why));
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

}  // namespace

BasicResult<std::unique_ptr<Listener>, std::string> Listener::start(HttpHandler& handler, ListenerOptions options) {
  if (options.loops == 0) options.loops = std::max(1u, std::thread::hardware_concurrency());
  std::signal(SIGPIPE, SIG_IGN);
  TRY_INTO(const int fd, bind_socket(options));
  return std::unique_ptr<Listener>(new Listener(handler, std::move(options), fd));
}

Listener::Listener(HttpHandler& handler, ListenerOptions options, int fd)
    : options_(std::move(options)), fd_(fd), port_(bound_port(fd)), spare_fd_(open_spare()) {
  const SessionPool::Shared shared{.tls = options_.tls,
                                   .buffers = std::make_shared<BufferBudget>(options_.session.buffered_bytes_max)};
  for (unsigned i = 0; i < options_.loops; ++i) {
    pools_.push_back(std::make_shared<SessionPool>(handler, options_.session, shared, [this] { connection_closed(); }));
  }
  pools_.front()->loop().add(fd_, EPOLLIN, this);
  for (const auto& pool : pools_) threads_.emplace_back([pool = pool.get()] { pool->run(); });
}

Listener::~Listener() {
  stop();
  if (spare_fd_ >= 0) close(spare_fd_);
}

void Listener::on_events(uint32_t) {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int fd = accept4(fd_, reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
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

// With no descriptor left a connection can be neither accepted nor rejected, and epoll would report it forever.
void Listener::shed_one_connection() {
  refused_.fetch_add(1);
  close(spare_fd_);
  const int fd = accept(fd_, nullptr, nullptr);
  if (fd >= 0) close(fd);
  spare_fd_ = open_spare();
}

void Listener::connection_closed() {
  if (open_.fetch_sub(1) != 1) return;
  MutexLock lock(mutex_);
  all_closed_.notify_all();
}

ListenerCounts Listener::counts() const {
  ListenerCounts counts{.open = open_.load(), .accepted = accepted_.load(), .refused = refused_.load()};
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
    pools_.front()->loop().remove(fd_);
    close(fd_);
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
}

}  // namespace trestle
