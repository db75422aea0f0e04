#include "server/http/session.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/ascii.h"
#include "server/http/reply_bytes.h"

namespace trestle {

namespace {

constexpr int kReadsPerTurn = 8;  // then other connections get a turn
constexpr size_t kReadBytesMin = 16 * 1024;
constexpr size_t kReadBytesMax = 1024 * 1024;
constexpr size_t kFlushBytes = 256 * 1024;         // pipelined replies are gathered up to this size
constexpr size_t kCopiedBodyBytesMax = 32 * 1024;  // larger bodies are written without copying them
constexpr size_t kRetainedScratchBytes = 1024 * 1024;
constexpr size_t kHeldBytesMax = 4096;  // larger replies are sent at once

}  // namespace

Session::Session(std::shared_ptr<SessionPool> pool, uint64_t id, int fd, std::string peer)
    : pool_(std::move(pool)),
      id_(id),
      fd_(fd),
      peer_(std::move(peer)),
      tls_(pool_->tls_ ? std::make_unique<TlsStream>(*pool_->tls_, fd) : nullptr),
      parser_(pool_->options_.limits) {
  const SessionOptions& options = pool_->options_;
  deadline_ms_ = pool_->loop_.now_ms() + (tls_ ? options.header_timeout_ms : options.idle_timeout_ms);
}

Session::~Session() { close(fd_); }

void Session::on_events(uint32_t events) {
  if (state_ == State::kEnded) return;
  if (events & (EPOLLERR | EPOLLHUP)) return end();
  if (events & (EPOLLIN | EPOLLRDHUP)) readable_ = true;
  if (events & EPOLLRDHUP) peer_ended_ = true;
  if (tls_) readable_ = true;  // TLS may have waited to write in order to read
  if (!pending_.empty() && (tls_ || (events & EPOLLOUT))) write_pending();
  if (readable_) advance();
}

// Processes everything that is available without blocking.
void Session::advance() {
  send_held_first();
  consume_buffer();
  int reads = 0;
  while (readable_ && (state_ == State::kReading || state_ == State::kLingering)) {
    if (++reads > kReadsPerTurn) {
      pool_->loop_.defer([pool = pool_.get(), id = id_] {
        if (Session* session = pool->find(id)) session->advance();
      });
      break;
    }
    read_more();
  }
  if (!pool_->out_.empty()) {
    if (tls_ || !pending_.empty() || pool_->out_.size() > kHeldBytesMax) {
      flush();
    } else {
      has_held_ = true;
      pool_->hold(*this);
    }
  }
  if (state_ == State::kReading) set_deadline_for_reading();
  account();
}

void Session::send_held(std::string_view bytes) {
  has_held_ = false;
  if (state_ != State::kEnded) send_replies(bytes, {});
}

// Replies that are sent before the end of the batch must not overtake those that the pool holds.
void Session::send_held_first() {
  if (has_held_) pool_->send_held();
}

void Session::read_more() {
  if (state_ == State::kLingering) {
    const ssize_t n = read_some(pool_->scratch_.get(), SessionPool::kScratchBytes);
    if (n == 0 || (n < 0 && readable_)) end();
    return;
  }
  const bool in_scratch = buffer_.empty();
  char* into = pool_->scratch_.get();
  size_t room = SessionPool::kScratchBytes;
  if (!in_scratch) {
    const uint64_t missing = parser_.headers_complete() ? parser_.body_bytes_missing() : 0;
    buffer_.grow_room(std::clamp<uint64_t>(missing, kReadBytesMin, kReadBytesMax));
    into = buffer_.tail();
    room = buffer_.room();
  }
  const ssize_t n = read_some(into, room);
  if (n < 0 && !readable_) return;
  if (n <= 0) {
    // The peer has closed. An incomplete request gets no reply; complete ones were answered before this.
    if (!pool_->out_.empty()) flush();
    if (state_ == State::kWriting) {
      close_after_reply_ = true;
    } else {
      end();
    }
    return;
  }
  if (request_began_ms_ == 0) request_began_ms_ = pool_->loop_.now_ms();
  if (in_scratch) {
    size_t size = static_cast<size_t>(n);
    const size_t used = consume(into, size);
    if (used < size && state_ != State::kEnded) buffer_.append(into + used, size - used);
  } else {
    buffer_.added(static_cast<size_t>(n));
    consume_buffer();
  }
}

void Session::consume_buffer() {
  if (state_ != State::kReading || buffer_.size() <= parser_.offset()) return;
  size_t size = buffer_.size();
  const size_t used = consume(buffer_.data(), size);
  buffer_.truncate(size);
  buffer_.drop_front(used);
}

// Answers the complete requests at the start of data; returns how many bytes they took.
size_t Session::consume(char* data, size_t& size) {
  size_t used = 0;
  while (state_ == State::kReading && used < size) {
    size_t rest = size - used;
    const RequestParser::Outcome outcome = parser_.parse(data + used, rest);
    if (outcome == RequestParser::Outcome::kComplete) {
      unread_input_ = used + parser_.consumed() < size;
      handle_request(data + used);
      used += parser_.consumed();
      parser_.reset();
      continued_ = false;
      request_began_ms_ = used < size ? pool_->loop_.now_ms() : 0;
      if (pool_->out_.size() > kFlushBytes) flush();
      continue;
    }
    size = used + rest;
    if (outcome != RequestParser::Outcome::kNeedMore) {
      refuse(outcome);
    } else if (!pool_->buffers_->fits(size)) {
      refuse(503);
    } else if (parser_.headers_complete() && parser_.expects_continue() && !continued_) {
      continued_ = true;
      pool_->out_.append("HTTP/1.1 100 Continue\r\n\r\n");
      flush();
    }
    break;
  }
  return state_ == State::kLingering ? size : used;
}

void Session::handle_request(char* data) {
  HttpRequest request{.peer = peer_, .tls = tls_ != nullptr};
  parser_.view(data, request, pool_->headers_);
  keep_alive_ = parser_.keep_alive();
  http_1_0_ = parser_.http_1_0();
  head_ = parser_.head();
  const int accept = parser_.accept_encoding();
  reply_coding_.reset();
  if (accept >= 0) reply_coding_ = preferred_coding(request.headers[static_cast<size_t>(accept)].value);
  if (pool_->buffers_->is_full()) return refuse_for_now();
  if (parser_.content_encoding() >= 0 && !undo_content_encoding(request)) return;

  state_ = State::kHandling;
  deadline_ms_ = 0;
  pool_->request_count_.store(pool_->request_count() + 1, std::memory_order_relaxed);
  pool_->handling_ = this;
  pool_->handler_.handle(request, ReplyHandle(pool_, id_));
  pool_->handling_ = nullptr;
  if (pool_->inflated_.capacity() > kRetainedScratchBytes) std::string().swap(pool_->inflated_);
}

// A body that cannot be decoded is answered with 500, as in DynamoDB.
bool Session::undo_content_encoding(HttpRequest& request) {
  const std::string_view coding = request.headers[static_cast<size_t>(parser_.content_encoding())].value;
  if (coding.empty() || equals_ignoring_case(coding, "identity")) return true;
  const auto content_coding = coding_named(coding);
  if (!content_coding) {
    refuse(500);
    return false;
  }
  switch (
      pool_->gzip_.inflate(request.body, *content_coding, pool_->options_.limits.body_bytes_max, pool_->inflated_)) {
    case Gzip::Outcome::kOk:
      request.body = pool_->inflated_;
      return true;
    case Gzip::Outcome::kTooLarge:
      refuse(413);
      return false;
    case Gzip::Outcome::kMalformed:
      break;
  }
  refuse(500);
  return false;
}

void Session::answer(HttpReply reply) {
  if (state_ != State::kHandling) return;
  if (is_to_be_compressed(reply) && reply.body.size() > pool_->options_.gzip_on_loop_bytes_max) {
    if (pool_->compress_later(id_, *reply_coding_, reply)) return;
    reply_coding_.reset();  // too many replies are waiting: sent as it is
  }
  state_ = State::kReading;
  append_reply(std::move(reply));
}

void Session::answer_late(HttpReply reply) {
  if (state_ != State::kHandling) return;
  send_held_first();
  request_began_ms_ = buffer_.empty() ? 0 : pool_->loop_.now_ms();
  answer(std::move(reply));
  advance();
}

bool Session::is_to_be_compressed(const HttpReply& reply) const {
  return reply_coding_ && !reply.encoded && reply.body.size() >= pool_->options_.gzip_reply_bytes_min &&
         status_has_body(reply.status);
}

void Session::append_reply(HttpReply reply) {
  std::string_view coding;
  if (is_to_be_compressed(reply)) {
    pool_->gzip_.deflate(reply.body, *reply_coding_, pool_->deflated_);
    if (pool_->deflated_.size() < reply.body.size()) {
      coding = coding_name(*reply_coding_);
      reply.body.swap(pool_->deflated_);
    }
    if (pool_->deflated_.capacity() > kRetainedScratchBytes) std::string().swap(pool_->deflated_);
  }
  const bool keep = keep_alive_ && !reply.close && !pool_->draining_;
  append_reply_head(pool_->out_, reply,
                    {.keep_alive = keep, .http_1_0 = http_1_0_, .coding = coding, .date_line = pool_->date_line()});
  close_after_reply_ = !keep;
  const std::string_view body = head_ || !status_has_body(reply.status) ? std::string_view{} : reply.body;
  if (body.size() > kCopiedBodyBytesMax) return flush(std::move(reply.body));
  pool_->out_.append(body);
  if (close_after_reply_) flush();
}

// Answers without the handler and closes the connection, because the rest of the stream cannot be trusted.
void Session::refuse(int status) {
  keep_alive_ = false;
  reply_coding_.reset();
  head_ = http_1_0_ = false;
  unread_input_ = true;
  state_ = State::kReading;
  append_reply({.status = status, .close = true});
}

// Unsent replies and unfinished requests of all connections use all the memory allowed: the client should retry later.
void Session::refuse_for_now() {
  HttpReply reply{.status = 503};
  reply.add_header("Retry-After", "1");
  append_reply(std::move(reply));
}

void Session::refuse(RequestParser::Outcome outcome) {
  switch (outcome) {
    case RequestParser::Outcome::kHeadersTooLarge:
      return refuse(400);  // as DynamoDB does
    case RequestParser::Outcome::kBodyTooLarge:
      return refuse(413);
    case RequestParser::Outcome::kUnknownExpectation:
      return refuse(417);
    default:
      return refuse(400);
  }
}

// Sends the gathered replies, and a body that was too large to gather.
void Session::flush(std::string body) {
  if (pool_->handler_.before_replies()) {
    send_replies(pool_->out_, std::move(body));
  } else {
    end();
  }
  pool_->out_.clear();
  if (pool_->out_.capacity() > kRetainedScratchBytes) std::string().swap(pool_->out_);
}

void Session::send_replies(std::string_view head, std::string body) {
  const size_t total = head.size() + body.size();
  size_t sent = 0;
  while (sent < total && pending_.empty()) {
    const size_t of_head = std::min(sent, head.size());
    const ssize_t n = send_some(head.substr(of_head), std::string_view(body).substr(sent - of_head));
    if (n < 0 && errno != EAGAIN) return end();
    if (n < 0) break;
    sent += static_cast<size_t>(n);
  }
  if (sent == total) return replies_sent();
  const size_t of_head = std::min(sent, head.size());
  if (pending_.empty()) write_began_ms_ = pool_->loop_.now_ms();
  if (pending_.empty() && of_head == head.size()) {
    pending_ = std::move(body);  // not copied: it can be large
    pending_sent_ = sent - of_head;
  } else {
    pending_.append(head.substr(of_head)).append(body, sent - of_head);
  }
  write_progress_ms_ = pool_->loop_.now_ms();
  if (state_ != State::kHandling) {
    state_ = State::kWriting;
    deadline_ms_ = write_progress_ms_ + pool_->options_.write_timeout_ms;
  }
  account();
}

void Session::write_pending() {
  while (pending_sent_ < pending_.size()) {
    const ssize_t n = send_some(std::string_view(pending_).substr(pending_sent_), {});
    if (n < 0) {
      if (errno != EAGAIN) end();
      return;
    }
    pending_sent_ += static_cast<size_t>(n);
    write_progress_ms_ = pool_->loop_.now_ms();
    if (state_ == State::kWriting) deadline_ms_ = write_progress_ms_ + pool_->options_.write_timeout_ms;
  }
  std::string().swap(pending_);
  pending_sent_ = 0;
  account();
  if (state_ == State::kHandling) return;
  state_ = State::kReading;
  replies_sent();
  if (state_ == State::kReading) advance();
}

void Session::replies_sent() {
  if (!close_after_reply_) return;
  if (unread_input_) {
    linger();
  } else {
    end();
  }
}

// Closing with unread bytes resets the connection, and the reset can overtake the reply. So close only our sending side
// and discard what still arrives for a moment.
void Session::linger() {
  if (tls_) tls_->shut_down();
  shutdown(fd_, SHUT_WR);
  state_ = State::kLingering;
  deadline_ms_ = pool_->loop_.now_ms() + pool_->options_.linger_ms;
}

void Session::set_deadline_for_reading() {
  const SessionOptions& options = pool_->options_;
  const int64_t now = pool_->loop_.now_ms();
  if (request_began_ms_ == 0) {
    // A TLS connection that has not finished its handshake keeps its initial deadline.
    if (!tls_ || tls_->handshake_done()) deadline_ms_ = now + options.idle_timeout_ms;
  } else if (!parser_.headers_complete()) {
    deadline_ms_ = request_began_ms_ + options.header_timeout_ms;
  } else {
    deadline_ms_ = std::min(now + options.body_timeout_ms, request_began_ms_ + options.request_timeout_ms);
  }
}

void Session::check_deadline(int64_t now_ms) {
  if (!pending_.empty() && pool_->buffers_->is_scarce()) {
    const int64_t most_ms = pool_->options_.write_timeout_ms;
    if (now_ms - write_progress_ms_ > most_ms / 10 || now_ms - write_began_ms_ > most_ms) return end();
  }
  if (deadline_ms_ == 0 || now_ms < deadline_ms_) return;
  if (state_ == State::kReading && request_began_ms_ != 0) return refuse(408);
  end();
}

void Session::drain() {
  if (state_ == State::kReading && request_began_ms_ == 0) return end();
  if (state_ == State::kWriting) close_after_reply_ = true;
}

void Session::end() {
  if (state_ == State::kEnded) return;
  if (tls_ && state_ != State::kLingering) tls_->shut_down();
  state_ = State::kEnded;
  pool_->buffers_->remove(std::exchange(accounted_bytes_, 0));
  pool_->loop_.remove(fd_);
  pool_->end_session(*this);
}

void Session::account() {
  if (state_ == State::kEnded) return;
  const size_t bytes = buffer_.capacity() + pending_.capacity();
  pool_->buffers_->add(bytes - accounted_bytes_);  // unsigned arithmetic wraps, so this can also shrink
  accounted_bytes_ = bytes;
}

// Like read(). Clears readable_ when the kernel has no more data for now.
ssize_t Session::read_some(char* data, size_t size) {
  if (tls_ && state_ != State::kLingering) {
    const ssize_t n = tls_->read(data, size);
    if ((n > 0 && !peer_ended_ && tls_->is_drained()) || (n < 0 && errno == EAGAIN)) readable_ = false;
    return n;
  }
  ssize_t n;
  do n = recv(fd_, data, size, 0);
  while (n < 0 && errno == EINTR);
  // A short read means that the socket is empty and the next bytes raise a new event. The exception is the peer's end
  // of stream, which must be read.
  if ((n > 0 && static_cast<size_t>(n) < size && !peer_ended_) || (n < 0 && errno == EAGAIN)) readable_ = false;
  return n;
}

ssize_t Session::send_some(std::string_view head, std::string_view body) {
  if (tls_) {
    const std::string_view next = head.empty() ? body : head;
    return tls_->write(next.data(), next.size());
  }
  ssize_t n;
  do {
    if (body.empty()) {
      n = send(fd_, head.data(), head.size(), MSG_NOSIGNAL);
    } else {
      iovec parts[2] = {{const_cast<char*>(head.data()), head.size()}, {const_cast<char*>(body.data()), body.size()}};
      msghdr message{};
      message.msg_iov = parts;
      message.msg_iovlen = 2;
      n = sendmsg(fd_, &message, MSG_NOSIGNAL);
    }
  } while (n < 0 && errno == EINTR);
  return n;
}

}  // namespace trestle
