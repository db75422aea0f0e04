// An HttpReply as HTTP/1.1 bytes: status line, headers, and the framing the connection needs.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "server/http/http.h"

namespace trestle {

struct ReplyFraming {
  bool keep_alive = true;
  bool http_1_0 = false;    // HTTP/1.0 clients must be told that the connection stays open
  std::string_view coding;  // Content-Encoding of the reply's body; empty: not compressed
  std::string_view date_line;
};

// "Server: ...\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
std::string date_line(std::time_t now);

// Appends everything before the body. 1xx, 204 and 304 replies have neither body nor length.
void append_reply_head(std::string& out, const HttpReply& reply, const ReplyFraming& framing);

bool status_has_body(int status);

}  // namespace trestle
