#include "http/response.h"

#include <charconv>

#include "base/ascii.h"

namespace trestle::http {

namespace {

bool is_header(std::string_view line, std::string_view name) {
  return line.size() > name.size() && line[name.size()] == ':' &&
         equals_ignoring_case(line.substr(0, name.size()), name);
}

std::string_view value_of(std::string_view line) {
  line.remove_prefix(line.find(':') + 1);
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
  return line;
}

// Parses "Sun, 06 Nov 1994 08:49:37 GMT", the only form that servers send.
std::optional<std::time_t> parse_date(std::string_view text) {
  std::tm utc{};
  const char* const end = strptime(std::string(text).c_str(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
  if (end == nullptr) return std::nullopt;
  return timegm(&utc);
}

bool parse_number(std::string_view text, size_t& value, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

void ResponseReader::reset() {
  gathered_.clear();
  unchunked_.clear();
  response_ = {};
  head_bytes_ = body_bytes_ = chunks_bytes_ = 0;
  sized_ = chunked_ = began_ = false;
}

ResponseState ResponseReader::feed(std::string_view received) {
  if (!began_) {
    reset();
    began_ = true;
  }
  ResponseState state;
  if (gathered_.size() + received.size() > bytes_max_) {
    state = ResponseState::kMalformed;
  } else if (gathered_.empty()) {
    state = read(received);
    if (state == ResponseState::kIncomplete) {
      if (head_bytes_ != 0 && !chunked_) gathered_.reserve(head_bytes_ + body_bytes_);
      gathered_.append(received);
    }
  } else {
    gathered_.append(received);
    state = read(gathered_);
  }
  if (state != ResponseState::kIncomplete) began_ = false;
  return state;
}

ResponseState ResponseReader::read(std::string_view bytes) {
  if (head_bytes_ == 0) {
    const size_t end = bytes.find("\r\n\r\n");
    if (end == std::string_view::npos) return ResponseState::kIncomplete;
    if (!read_head(bytes.substr(0, end))) return ResponseState::kMalformed;
    head_bytes_ = end + 4;
  }
  const std::string_view rest = bytes.substr(head_bytes_);
  if (chunked_) return read_chunks(rest);
  if (rest.size() < body_bytes_) return ResponseState::kIncomplete;
  if (rest.size() > body_bytes_) return ResponseState::kMalformed;  // an unsolicited second response
  response_.body = rest;
  return ResponseState::kComplete;
}

bool ResponseReader::read_head(std::string_view head) {
  if (!head.starts_with("HTTP/1.") || head.size() < 12) return false;
  size_t status;
  if (!parse_number(head.substr(9, 3), status, 10)) return false;
  response_.status = static_cast<int>(status);

  for (size_t at = head.find("\r\n"); at != std::string_view::npos;) {
    const size_t begin = at + 2;
    at = head.find("\r\n", begin);
    if (!read_header(head.substr(begin, at == std::string_view::npos ? at : at - begin))) return false;
  }
  return sized_ || chunked_;
}

bool ResponseReader::read_header(std::string_view line) {
  switch (line.empty() ? '\0' : static_cast<char>(line[0] | 0x20)) {
    case 'c':
      if (is_header(line, "content-length")) {
        sized_ = parse_number(value_of(line), body_bytes_, 10) && body_bytes_ <= bytes_max_;
        return sized_;
      }
      if (is_header(line, "connection")) response_.closes_connection = equals_ignoring_case(value_of(line), "close");
      break;
    case 'd':
      // The time is needed only for errors, and parsing it costs more than all other headers together.
      if (response_.status >= 400 && is_header(line, "date")) response_.date = parse_date(value_of(line));
      break;
    case 'e':
      if (is_header(line, "etag")) response_.etag = value_of(line);
      break;
    case 't':
      if (is_header(line, "transfer-encoding")) chunked_ = equals_ignoring_case(value_of(line), "chunked");
      break;
    case 'x':
      if (size_t sum; is_header(line, "x-amz-crc32") && parse_number(value_of(line), sum, 10)) {
        response_.crc32 = static_cast<uint32_t>(sum);
      }
      break;
    default:
      break;
  }
  return true;
}

ResponseState ResponseReader::read_chunks(std::string_view bytes) {
  bytes.remove_prefix(chunks_bytes_);
  while (true) {
    const size_t line_end = bytes.find("\r\n");
    if (line_end == std::string_view::npos) return ResponseState::kIncomplete;
    std::string_view size_text = bytes.substr(0, line_end);
    size_text = size_text.substr(0, size_text.find(';'));
    size_t size;
    if (!parse_number(size_text, size, 16) || size > bytes_max_) return ResponseState::kMalformed;
    const size_t chunk_bytes = line_end + 2 + size + 2;
    if (bytes.size() < chunk_bytes) return ResponseState::kIncomplete;
    if (bytes.substr(chunk_bytes - 2, 2) != "\r\n") return ResponseState::kMalformed;
    unchunked_.append(bytes.substr(line_end + 2, size));
    bytes.remove_prefix(chunk_bytes);
    chunks_bytes_ += chunk_bytes;
    if (size == 0) break;
  }
  if (!bytes.empty()) return ResponseState::kMalformed;
  response_.body = unchunked_;
  return ResponseState::kComplete;
}

}  // namespace trestle::http
