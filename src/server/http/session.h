// An HTTP/1.x connection: reads requests, passes each to the handler, and writes the replies in order.
//
// The handler has one request at a time. Pipelined requests wait, first in this session's buffer and then in the
// kernel's. A request that arrives whole costs one read() and one send(): it is read into the pool's scratch buffer,
// parsed in place and answered from there. Only the start of an incomplete request is copied. Used only by its loop's
// thread. Owned by its pool; end() hands it back to the pool, which destroys it after the round.
//
// A large reply is compressed by another thread; until then, the request is still with the handler.
//
//   reading --request--> handling --answer--> reading        handshake, limit and timeout failures linger or end
//                            |                  ^
//                            +--> writing ------+            (the peer is slow to read the reply)
// Replies to earlier requests may still be unsent when a later request is with the handler.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "server/http/event_loop.h"
#include "server/http/gzip.h"
#include "server/http/input_buffer.h"
#include "server/http/request_parser.h"
#include "server/http/session_pool.h"
#include "server/http/tls.h"

namespace trestle {

class Session final : public EventLoop::Source {
 public:
  Session(std::shared_ptr<SessionPool> pool, uint64_t id, int fd, std::string peer);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  uint64_t id() const { return id_; }
  void on_events(uint32_t events) override;

  // The handler's reply to its current request.
  void answer(HttpReply reply);
  // Like answer(), after handle() has returned: also writes the reply and resumes reading.
  void answer_late(HttpReply reply);

  // Sends the replies that the pool held back for this session.
  void send_held(std::string_view bytes);

  void check_deadline(int64_t now_ms);
  void drain();
  void end();

 private:
  enum class State { kReading, kHandling, kWriting, kLingering, kEnded };

  void advance();
  void send_held_first();
  void read_more();
  void consume_buffer();
  size_t consume(char* data, size_t& size);
  void handle_request(char* data);
  bool undo_content_encoding(HttpRequest& request);
  void refuse_for_now();
  void refuse(int status);
  void refuse(RequestParser::Outcome outcome);
  bool is_to_be_compressed(const HttpReply& reply) const;
  void append_reply(HttpReply reply);
  void flush(std::string body = {});
  void send_replies(std::string_view head, std::string body);
  void write_pending();
  void replies_sent();
  void linger();
  void set_deadline_for_reading();
  void account();

  ssize_t read_some(char* data, size_t size);
  ssize_t send_some(std::string_view head, std::string_view body);

  // Constant after construction.
  const std::shared_ptr<SessionPool> pool_;  // shared: the handles of our requests outlive us
  const uint64_t id_;
  const int fd_;
  const std::string peer_;
  const std::unique_ptr<TlsStream> tls_;

  State state_ = State::kReading;
  bool readable_ = false;    // the kernel may have unread bytes
  bool peer_ended_ = false;  // the peer will send no more
  bool has_held_ = false;    // the pool holds replies for this session
  bool continued_ = false;   // "100 Continue" was sent for this request
  bool close_after_reply_ = false;
  bool unread_input_ = false;  // closing immediately would reset the connection and lose the reply
  bool keep_alive_ = true;     // this and the next three describe the request with the handler
  bool http_1_0_ = false;
  bool head_ = false;
  std::optional<ContentCoding> reply_coding_;
  int64_t deadline_ms_ = 0;        // 0: none
  int64_t request_began_ms_ = 0;   // 0: no byte of the next request yet
  int64_t write_progress_ms_ = 0;  // when the peer last accepted bytes of pending_, initially write_began_ms_
  int64_t write_began_ms_ = 0;     // when pending_ became non-empty
  size_t accounted_bytes_ = 0;
  RequestParser parser_;
  InputBuffer buffer_;   // begins at a request's first byte
  std::string pending_;  // reply bytes that the kernel has not accepted yet
  size_t pending_sent_ = 0;
};

}  // namespace trestle
