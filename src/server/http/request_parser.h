// Parses an HTTP/1.x request incrementally from a connection's bytes.
//
// The caller owns the bytes: a block that starts at the request's first byte, and that may move and grow between
// calls, because the parser keeps offsets and not pointers. Chunked bodies are joined in place, so the parser writes
// to the block. Limits are checked before the caller has to hold more: a body whose declared or actual size is over
// the limit is refused when its headers, or the chunk that crosses it, are seen.
//
//   size_t size = ...;
//   switch (parser.parse(data, size)) {     // size shrinks when chunk framing has been dropped
//     case kNeedMore:  append to data, call again with the same start
//     case kComplete:  parser.view(data, request, headers); then drop parser.consumed() bytes and parser.reset()
//     otherwise:       send the error and close; the rest of the stream cannot be trusted
//   }
//
// Header values folded over several lines, Transfer-Encoding other than chunked, and a duplicate length are rejected as
// malformed. Not thread-safe.
#pragma once

#include <http_parser.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/http/http.h"

namespace trestle {

struct RequestLimits {
  size_t header_bytes_max = 16 * 1024;
  size_t headers_max = 100;
  uint64_t body_bytes_max = 16 * 1024 * 1024;
};

class RequestParser {
 public:
  enum class Outcome { kNeedMore, kComplete, kMalformed, kHeadersTooLarge, kBodyTooLarge, kUnknownExpectation };

  explicit RequestParser(const RequestLimits& limits) : limits_(limits) { reset(); }
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  void reset();
  Outcome parse(char* data, size_t& size);

  // How many bytes of the block have been looked at.
  size_t offset() const { return offset_; }
  bool headers_complete() const { return headers_complete_; }
  // Headers are complete: the client waits for "100 Continue" before it sends the body.
  bool expects_continue() const { return expects_continue_; }
  // Headers are complete and a length is declared: how many body bytes are still to come.
  uint64_t body_bytes_missing() const;

  // After kComplete. The views of the request point into data and headers.
  void view(const char* data, HttpRequest& request, std::vector<HttpHeader>& headers) const;
  size_t consumed() const { return offset_; }
  bool keep_alive() const { return keep_alive_; }
  bool http_1_0() const { return parser_.http_major == 1 && parser_.http_minor == 0; }
  bool head() const { return parser_.method == HTTP_HEAD; }
  // -1, or the index in the headers of view(); the first of several Accept-Encoding headers, as DynamoDB does.
  int content_encoding() const { return content_encoding_; }
  int accept_encoding() const { return accept_encoding_; }

 private:
  struct Span {
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  struct HeaderSpan {
    Span name;
    Span value;
  };

  static const http_parser_settings& settings();
  static int on_url(http_parser* p, const char* at, size_t size);
  static int on_header_field(http_parser* p, const char* at, size_t size);
  static int on_header_value(http_parser* p, const char* at, size_t size);
  static int on_headers_complete(http_parser* p);
  static int on_body(http_parser* p, const char* at, size_t size);
  static int on_message_complete(http_parser* p);

  int refuse(Outcome why);
  bool extend(Span& span, const char* at, size_t size);
  bool check_chunk_end(const char* at);
  bool note_special_headers();

  const RequestLimits& limits_;
  http_parser parser_;
  std::vector<HeaderSpan> headers_;
  char* data_ = nullptr;            // during parse() only
  const char* data_end_ = nullptr;  // likewise
  int line_end_missing_;            // how many bytes of the "\r\n" that ends a chunk are still to come
  size_t offset_;
  size_t needed_end_;  // end of the bytes that view() needs
  size_t body_begin_;
  size_t body_size_;
  Span url_;
  Outcome refusal_;
  int content_encoding_;
  int accept_encoding_;
  bool in_value_;
  bool headers_complete_;
  bool complete_;
  bool keep_alive_;
  bool expects_continue_;
};

}  // namespace trestle
