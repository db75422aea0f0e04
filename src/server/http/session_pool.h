// The connections of one event loop and what they share: the loop, the handler, scratch buffers and the timeout timer.
//
// adopt, drain, deliver and the counts may be called from any thread (deliver because the pool is the ReplyPort of its
// connections' requests). Everything else belongs to the loop's thread. A pool lives as long as its server or any
// unanswered ReplyHandle, whichever is longer. Replies that arrive after the loop has ended are dropped.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/http/buffer_budget.h"
#include "server/http/event_loop.h"
#include "server/http/gzip.h"
#include "server/http/http.h"
#include "server/http/session_options.h"
#include "server/http/tls.h"
#include "server/http/worker_pool.h"

namespace trestle {

class Session;

class SessionPool final : public ReplyPort, public std::enable_shared_from_this<SessionPool> {
 public:
  // Called on the loop's thread each time a connection has ended.
  using OnClosed = std::function<void()>;

  struct Shared {
    std::shared_ptr<const TlsContext> tls;  // null for plain HTTP
    std::shared_ptr<BufferBudget> buffers;  // shared: replies that outlive the server still count
    WorkerPool* compressors;                // used only while the loop runs
  };
  SessionPool(HttpHandler& handler, const SessionOptions& options, Shared shared, OnClosed on_closed);
  ~SessionPool() override;

  EventLoop& loop() { return loop_; }
  void run();

  // Takes ownership of a connected, non-blocking socket.
  void adopt(int fd, std::string peer);
  // Closes connections as they become idle; replies in progress are still sent.
  void drain();
  // Ends every connection, and the loop with them.
  void stop();

  void deliver(uint64_t request_id, HttpReply reply) override;
  void add_waiting(size_t reply_bytes) override { buffers_->add(reply_bytes); }
  bool try_add_waiting(size_t request_bytes) override { return buffers_->try_add(request_bytes); }
  void remove_waiting(size_t reply_bytes) override { buffers_->remove(reply_bytes); }

  uint64_t request_count() const { return request_count_.load(std::memory_order_relaxed); }

 private:
  friend class Session;

  static constexpr size_t kScratchBytes = 64 * 1024;
  // Sending a reply often wakes a sleeping client, which costs more than answering the request. So the replies of a
  // batch of requests are sent together, up to this many, so that the first does not wait too long.
  static constexpr size_t kHeldRepliesMax = 16;

  void add_session(int fd, std::string peer);
  Session* find(uint64_t id) const;
  void deliver_here(uint64_t request_id, HttpReply reply);
  // Delivers the reply again when another thread has compressed it. Returns false, leaving `reply` unchanged, if too
  // many replies are waiting for that.
  bool compress_later(uint64_t request_id, ContentCoding coding, HttpReply& reply);
  void end_session(Session& session);
  void end_all();
  void tick();
  std::string_view date_line();
  // Keeps the replies in out_ for the session until send_held().
  void hold(Session& session);
  void send_held();

  // Constant after construction.
  HttpHandler& handler_;
  const SessionOptions options_;
  const std::shared_ptr<const TlsContext> tls_;  // these three are shared with the other pools of the server
  const std::shared_ptr<BufferBudget> buffers_;
  WorkerPool* const compressors_;
  const OnClosed on_closed_;

  // Used only by the loop's thread.
  EventLoop loop_;
  std::vector<std::unique_ptr<Session>> slots_;
  std::vector<uint32_t> free_slots_;
  std::vector<std::unique_ptr<Session>> ended_;  // destroyed after this round's events
  uint32_t next_generation_ = 1;
  Session* handling_ = nullptr;  // the session whose request is with the handler
  bool draining_ = false;
  std::unique_ptr<char[]> scratch_;
  std::string out_;  // replies of the running session, until it flushes or holds them
  struct Held {
    Session* session;  // alive: ended sessions are destroyed only after the batch
    size_t begin;
    size_t size;
  };
  std::vector<Held> held_;
  std::string held_bytes_;
  std::string inflated_;
  std::string deflated_;
  std::vector<HttpHeader> headers_;
  Gzip gzip_;
  std::string date_line_;
  std::time_t date_second_ = 0;

  std::atomic<uint64_t> request_count_ = 0;
};

}  // namespace trestle
