// Parses an HTTP/1.x request incrementally from a connection's bytes.
//
// The caller owns the bytes: a block that starts at the request's first byte. It may move and grow between calls,
// because the parser keeps offsets, not pointers. Chunked bodies are joined in place, so the parser writes to the
// block. Limits are enforced early: a body whose declared or actual size exceeds the limit is refused as soon as its
// headers, or the chunk that exceeds it, are parsed.
//
//   size_t size = ...;
//   switch (parser.parse(data, size)) {     // size shrinks when chunk framing has been dropped
//     case kNeedMore:  append to data, call again with the same start
//     case kComplete:  parser.view(data, request, headers); then drop parser.consumed() bytes and parser.reset()
//     otherwise:       send the error and close; the rest of the stream cannot be trusted
//   }
//
// Folded header values, a Transfer-Encoding other than chunked, and a duplicate Content-Length are rejected as
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

  // The number of bytes of the block that have been parsed.
  size_t offset() const { return offset_; }
  bool headers_complete() const { return headers_complete_; }
  // The headers are complete and the client waits for "100 Continue" before it sends the body.
  bool expects_continue() const { return expects_continue_; }
  // The number of body bytes still to come, once the headers are complete and have a Content-Length.
  uint64_t body_bytes_missing() const;

  // Valid after kComplete. The views of the request point into data and headers.
  void view(const char* data, HttpRequest& request, std::vector<HttpHeader>& headers) const;
  size_t consumed() const { return offset_; }
  bool keep_alive() const { return keep_alive_; }
  bool http_1_0() const { return parser_.http_major == 1 && parser_.http_minor == 0; }
  bool head() const { return parser_.method == HTTP_HEAD; }
  // Index into the headers of view(), or -1. Of several Accept-Encoding headers the first counts, as in DynamoDB.
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
  char* data_ = nullptr;            // set only during parse()
  const char* data_end_ = nullptr;  // likewise
  int line_end_missing_;            // how many bytes of the "\r\n" after a chunk are still to come
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
