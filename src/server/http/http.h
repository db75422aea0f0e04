// The interface between HTTP and its handlers: a request as views, a reply as a value, and the handle that connects
// them.
//
// A handler sees one HttpRequest at a time per connection. Its views point into the connection's buffer and are valid
// only during handle(). It answers through the ReplyHandle, either inside handle() (the fast path: no queue, no lock)
// or later from any thread by keeping the handle. Every handle is answered exactly once: destroying one unused sends a
// 500. A reply to a connection that has closed is discarded.
//
//   void handle(const HttpRequest& request, ReplyHandle reply) override {
//     reply.send({.content_type = "text/plain", .body = std::string(request.body)});
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trestle {

struct HttpHeader {
  std::string_view name;   // as the client wrote it
  std::string_view value;  // without surrounding whitespace
};

struct HttpRequest {
  std::string_view method;  // "POST"
  std::string_view path;    // "/", still percent-encoded
  std::string_view query;   // after the '?', still percent-encoded; empty if none
  std::span<const HttpHeader> headers;
  std::string_view body;          // after Content-Encoding has been decoded
  std::string_view body_as_sent;  // the bytes a signature covers; equal to body unless it was compressed
  std::string_view peer;          // "127.0.0.1:50312"
  bool tls = false;

  // Whether the method asks for a page: GET or HEAD.
  bool is_read() const { return method == "GET" || method == "HEAD"; }
  // The first header with that name, ignoring case, or nullptr.
  const HttpHeader* find(std::string_view name) const;
  // Its value, or an empty view.
  std::string_view header(std::string_view name) const;
};

struct HttpReply {
  int status = 200;
  std::string_view content_type;  // static text; empty sends no Content-Type
  std::string body;
  std::string headers;   // extra header lines, formatted by add_header
  bool crc32 = false;    // add x-amz-crc32 over the body as sent, i.e. after compression
  bool close = false;    // close the connection after this reply
  bool encoded = false;  // do not compress the body: it has the Content-Encoding in `headers`, if any

  // Replaces line breaks in the value by blanks, because they would let a client inject headers.
  void add_header(std::string_view name, std::string_view value);
};

// The reply when the handler dropped the request without answering.
HttpReply internal_error_reply();

// The destination of replies. Thread-safe.
class ReplyPort {
 public:
  virtual ~ReplyPort() = default;
  virtual void deliver(uint64_t request_id, HttpReply reply) = 0;
  // Replies that are complete but delayed, for instance until a write is durable, count as unsent.
  virtual void add_waiting(size_t) {}
  // Like add_waiting(). Returns false, without effect, if the bytes exceed the server's limit.
  virtual bool try_add_waiting(size_t) { return true; }
  virtual void remove_waiting(size_t) {}
};

// The obligation to answer one request, exactly once. Owned by one thread at a time.
class ReplyHandle {
 public:
  ReplyHandle() = default;
  ReplyHandle(std::shared_ptr<ReplyPort> port, uint64_t request_id) : port_(std::move(port)), request_id_(request_id) {}
  ReplyHandle(ReplyHandle&& other) noexcept = default;
  ReplyHandle& operator=(ReplyHandle&& other) noexcept {
    ReplyHandle(std::move(other)).swap(*this);
    return *this;
  }
  ~ReplyHandle() {
    if (port_) send(internal_error_reply());
  }

  void send(HttpReply reply) {
    if (waiting_bytes_ > 0) port_->remove_waiting(std::exchange(waiting_bytes_, 0));
    std::exchange(port_, nullptr)->deliver(request_id_, std::move(reply));
  }
  // Declares that a reply of this size is complete and will be sent later. Until then it counts against the server's
  // limit.
  void reply_waits(size_t reply_bytes) {
    constexpr size_t kSmallReplyBytes = 4096;  // not worth counting
    if (reply_bytes < kSmallReplyBytes) return;
    port_->add_waiting(reply_bytes);
    waiting_bytes_ += reply_bytes;
  }
  // Declares that a copy of the request of this size waits for another thread. Until the reply is sent, it counts
  // against the server's limit. Returns false if it exceeds that limit: then refuse the request.
  bool request_waits(size_t request_bytes) {
    if (!port_->try_add_waiting(request_bytes)) return false;
    waiting_bytes_ += request_bytes;
    return true;
  }
  bool answered() const { return port_ == nullptr; }

 private:
  void swap(ReplyHandle& other) noexcept {
    std::swap(port_, other.port_);
    std::swap(request_id_, other.request_id_);
    std::swap(waiting_bytes_, other.waiting_bytes_);
  }

  std::shared_ptr<ReplyPort> port_;  // shared, because a handle may outlive its connection and its server
  uint64_t request_id_ = 0;
  size_t waiting_bytes_ = 0;
};

// Handles requests. All event loops share one handler, so handle() must be thread-safe. It runs on an event loop: if it
// blocks, it delays every other connection of that loop.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual void handle(const HttpRequest& request, ReplyHandle reply) = 0;
  // Called on an event loop before it sends a batch of replies. If it returns false, those replies are not sent and
  // their connections are closed.
  virtual bool before_replies() { return true; }
};

}  // namespace trestle
