#include "server/http/reply_bytes.h"

#include <libdeflate.h>

#include <charconv>

namespace trestle {

namespace {

std::string_view status_line(int status) {
  switch (status) {
    case 200:
      return "HTTP/1.1 200 OK\r\n";
    case 204:
      return "HTTP/1.1 204 No Content\r\n";
    case 301:
      return "HTTP/1.1 301 Moved Permanently\r\n";
    case 302:
      return "HTTP/1.1 302 Found\r\n";
    case 304:
      return "HTTP/1.1 304 Not Modified\r\n";
    case 308:
      return "HTTP/1.1 308 Permanent Redirect\r\n";
    case 400:
      return "HTTP/1.1 400 Bad Request\r\n";
    case 401:
      return "HTTP/1.1 401 Unauthorized\r\n";
    case 403:
      return "HTTP/1.1 403 Forbidden\r\n";
    case 404:
      return "HTTP/1.1 404 Not Found\r\n";
    case 405:
      return "HTTP/1.1 405 Method Not Allowed\r\n";
    case 408:
      return "HTTP/1.1 408 Request Timeout\r\n";
    case 409:
      return "HTTP/1.1 409 Conflict\r\n";
    case 410:
      return "HTTP/1.1 410 Gone\r\n";
    case 412:
      return "HTTP/1.1 412 Precondition Failed\r\n";
    case 413:
      return "HTTP/1.1 413 Request Entity Too Large\r\n";
    case 415:
      return "HTTP/1.1 415 Unsupported Media Type\r\n";
    case 417:
      return "HTTP/1.1 417 Expectation Failed\r\n";
    case 422:
      return "HTTP/1.1 422 Unprocessable Entity\r\n";
    case 429:
      return "HTTP/1.1 429 Too Many Requests\r\n";
    case 431:
      return "HTTP/1.1 431 Request Header Fields Too Large\r\n";
    case 500:
      return "HTTP/1.1 500 Internal Server Error\r\n";
    case 501:
      return "HTTP/1.1 501 Not Implemented\r\n";
    case 503:
      return "HTTP/1.1 503 Service Unavailable\r\n";
    default:
      return {};
  }
}

void append_number(std::string& out, uint64_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

}  // namespace

bool status_has_body(int status) { return status >= 200 && status != 204 && status != 304; }

std::string date_line(std::time_t now) {
  std::tm utc;
  gmtime_r(&now, &utc);
  char text[80];
  const size_t size = std::strftime(text, sizeof text, "Server: Trestle\r\nDate: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
  return std::string(text, size);
}

void append_reply_head(std::string& out, const HttpReply& reply, const ReplyFraming& framing) {
  const std::string_view line = status_line(reply.status);
  if (!line.empty()) {
    out.append(line);
  } else {
    out.append("HTTP/1.1 ");
    append_number(out, static_cast<uint64_t>(reply.status));
    out.append(" Status\r\n");
  }
  out.append(framing.date_line);
  if (!reply.content_type.empty()) out.append("Content-Type: ").append(reply.content_type).append("\r\n");
  if (status_has_body(reply.status)) {
    out.append("Content-Length: ");
    append_number(out, reply.body.size());
    out.append("\r\n");
  }
  if (!framing.coding.empty()) out.append("Content-Encoding: ").append(framing.coding).append("\r\n");
  if (reply.crc32) {
    out.append("x-amz-crc32: ");
    append_number(out, libdeflate_crc32(0, reply.body.data(), reply.body.size()));
    out.append("\r\n");
  }
  out.append(reply.headers);
  if (!framing.keep_alive) {
    out.append("Connection: close\r\n");
  } else if (framing.http_1_0) {
    out.append("Connection: keep-alive\r\n");
  }
  out.append("\r\n");
}

}  // namespace trestle
