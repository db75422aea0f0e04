#include "server/http/session_pool.h"

#include <sys/epoll.h>
#include <unistd.h>

#include "server/http/reply_bytes.h"
#include "server/http/session.h"

namespace trestle {

namespace {
uint32_t slot_of(uint64_t id) { return static_cast<uint32_t>(id); }
}  // namespace

SessionPool::SessionPool(HttpHandler& handler, const SessionOptions& options, Shared shared, OnClosed on_closed)
    : handler_(handler),
      options_(options),
      tls_(std::move(shared.tls)),
      buffers_(std::move(shared.buffers)),
      compressors_(shared.compressors),
      on_closed_(std::move(on_closed)),
      scratch_(std::make_unique_for_overwrite<char[]>(kScratchBytes)) {
  loop_.every(options_.tick_ms, [this] { tick(); });
  loop_.after_batch([this] { send_held(); });
}

SessionPool::~SessionPool() = default;

void SessionPool::run() {
  loop_.run();
  end_all();
}

void SessionPool::adopt(int fd, std::string peer) {
  const bool posted = loop_.post([this, fd, peer = std::move(peer)]() mutable { add_session(fd, std::move(peer)); });
  if (!posted) {
    close(fd);
    on_closed_();
  }
}

void SessionPool::add_session(int fd, std::string peer) {
  uint32_t slot = static_cast<uint32_t>(slots_.size());
  if (free_slots_.empty()) {
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  const uint64_t id = uint64_t{next_generation_++} << 32 | slot;
  slots_[slot] = std::make_unique<Session>(shared_from_this(), id, fd, std::move(peer));
  Session& session = *slots_[slot];
  // Edge-triggered for both directions: this connection needs no further epoll_ctl call.
  if (draining_ || !loop_.add(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, &session)) session.end();
}

void SessionPool::drain() {
  loop_.post([this] {
    draining_ = true;
    send_held();  // first: a session whose reply is held looks idle, and idle sessions are closed here
    for (const auto& session : slots_) {
      if (session) session->drain();
    }
  });
}

void SessionPool::stop() { loop_.stop(); }

void SessionPool::end_all() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i]) slots_[i]->end();
  }
  ended_.clear();
}

Session* SessionPool::find(uint64_t id) const {
  const uint32_t slot = slot_of(id);
  Session* session = slot < slots_.size() ? slots_[slot].get() : nullptr;
  return session && session->id() == id ? session : nullptr;
}

void SessionPool::deliver(uint64_t request_id, HttpReply reply) {
  const bool in_loop = loop_.in_loop_thread();
  if (in_loop && handling_ && handling_->id() == request_id) return handling_->answer(std::move(reply));
  const size_t bytes = reply.body.size();
  add_waiting(bytes);
  auto deliver_later = [this, request_id, bytes, reply = std::move(reply)]() mutable {
    remove_waiting(bytes);
    deliver_here(request_id, std::move(reply));
  };
  // Deferred, because the handler or a session may be further up the call stack.
  if (in_loop) return loop_.defer(std::move(deliver_later));
  if (!loop_.post(std::move(deliver_later))) remove_waiting(bytes);
}

void SessionPool::deliver_here(uint64_t request_id, HttpReply reply) {
  if (Session* session = find(request_id)) session->answer_late(std::move(reply));
}

bool SessionPool::compress_later(uint64_t request_id, ContentCoding coding, HttpReply& reply) {
  // Counts against the server's limit, also if the task is discarded.
  struct Waiting {
    Waiting(std::shared_ptr<SessionPool> of, HttpReply from)
        : pool(std::move(of)), reply(std::move(from)), bytes(reply.body.size()) {
      pool->add_waiting(bytes);
    }
    ~Waiting() { pool->remove_waiting(bytes); }
    const std::shared_ptr<SessionPool> pool;
    HttpReply reply;
    const size_t bytes;
  };
  auto waiting = std::make_shared<Waiting>(shared_from_this(), std::move(reply));
  WorkerPool::Task task = [waiting, request_id, coding] {
    HttpReply& plain = waiting->reply;
    std::string compressed;
    Gzip().deflate(plain.body, coding, compressed);
    if (compressed.size() < plain.body.size()) {
      compressed.shrink_to_fit();
      plain.body = std::move(compressed);
      plain.add_header("Content-Encoding", coding_name(coding));
    }
    plain.encoded = true;
    waiting->pool->deliver(request_id, std::move(plain));
  };
  if (compressors_->submit(task)) return true;
  reply = std::move(waiting->reply);
  return false;
}

void SessionPool::hold(Session& session) {
  held_.push_back({&session, held_bytes_.size(), out_.size()});
  held_bytes_.append(out_);
  out_.clear();
  if (held_.size() >= kHeldRepliesMax) send_held();
}

void SessionPool::send_held() {
  if (held_.empty()) return;
  const bool may_send = handler_.before_replies();
  for (const Held& held : held_) {
    if (may_send) {
      held.session->send_held(std::string_view(held_bytes_).substr(held.begin, held.size));
    } else {
      held.session->end();
    }
  }
  held_.clear();
  held_bytes_.clear();
}

void SessionPool::end_session(Session& session) {
  const uint32_t slot = slot_of(session.id());
  if (ended_.empty()) loop_.defer([this] { ended_.clear(); });
  ended_.push_back(std::move(slots_[slot]));
  free_slots_.push_back(slot);
  on_closed_();
}

void SessionPool::tick() {
  const int64_t now = loop_.now_ms();
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i]) slots_[i]->check_deadline(now);
  }
}

std::string_view SessionPool::date_line() {
  timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != date_second_) {
    date_second_ = now.tv_sec;
    date_line_ = trestle::date_line(now.tv_sec);
  }
  return date_line_;
}

}  // namespace trestle
