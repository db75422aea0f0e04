// The HTTP server: one or two listening sockets, one event loop per thread, and connections assigned to the loops in
// turn. Other threads, at a lower priority, compress large replies.
//
//   TRY_INTO(auto listener, Listener::start(handler, {.address = "127.0.0.1", .port = 0}));
//   listener->port();      // the port the kernel picked
//   listener->stop();      // also done by the destructor
//
// start returns with the socket listening and the threads running. The handler must outlive the listener. start makes
// the process ignore SIGPIPE, because OpenSSL may write to a closed socket. Thread-safe, but stop() must not be called
// by an event loop's thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "server/http/http.h"
#include "server/http/session_options.h"
#include "server/http/session_pool.h"
#include "server/http/tls.h"

namespace trestle {

struct ListenerOptions {
  std::string address = "127.0.0.1";  // an IPv4 or IPv6 address; "::" and "0.0.0.0" listen everywhere
  // A second address for the same port, such as "::1"; empty: none. Ignored if the machine does not have that address.
  std::string second_address = {};
  uint16_t port = 0;                // 0: the kernel picks a free one
  unsigned loops = 0;               // 0: one per core
  size_t connections_max = 10'000;  // beyond it, a connection gets 503 and is closed
  int64_t stop_grace_ms = 5'000;    // how long stop() waits for replies in progress
  SessionOptions session;
  std::shared_ptr<const TlsContext> tls;  // shared by every connection; null for plain HTTP
};

struct ListenerCounts {
  uint64_t open = 0;
  uint64_t accepted = 0;
  uint64_t refused = 0;
  uint64_t requests = 0;
  size_t buffered_bytes = 0;  // held for requests and replies (buffer_budget.h)
};

class Listener final : private EventLoop::Source {
 public:
  static BasicResult<std::unique_ptr<Listener>, std::string> start(HttpHandler& handler, ListenerOptions options);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  uint16_t port() const { return port_; }
  // The number of addresses it listens on.
  size_t addresses() const { return fds_.size(); }
  ListenerCounts counts() const;
  // Stops accepting, waits up to stop_grace_ms for replies in progress, then closes everything and ends the threads.
  void stop();

 private:
  Listener(HttpHandler& handler, ListenerOptions options, std::vector<int> fds);
  void on_events(uint32_t events) override;
  void accept_from(int listening);
  void take(int fd, std::string peer);
  void shed_one_connection();
  void connection_closed();

  // Constant after construction.
  const ListenerOptions options_;
  const std::vector<int> fds_;  // all listen on the same port
  uint16_t port_ = 0;
  const std::shared_ptr<BufferBudget> buffers_;      // shared with the pools
  WorkerPool compressors_;                           // of large replies
  std::vector<std::shared_ptr<SessionPool>> pools_;  // shared with the reply handles of pending requests
  std::vector<std::thread> threads_;

  // Used only by the first loop's thread.
  size_t next_pool_ = 0;
  int spare_fd_;  // closed briefly to accept and reject a connection when no descriptors are left

  Mutex mutex_;
  ConditionVariable all_closed_;
  bool stopped_ GUARDED_BY(mutex_) = false;

  std::atomic<uint64_t> open_ = 0;
  std::atomic<uint64_t> accepted_ = 0;
  std::atomic<uint64_t> refused_ = 0;
};

}  // namespace trestle
