#include "server/http/request_parser.h"

#include <cstring>

#include "base/ascii.h"

namespace trestle {

namespace {

RequestParser& self_of(http_parser* p) { return *static_cast<RequestParser*>(p->data); }

std::string_view trim_header_value(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

}  // namespace

const http_parser_settings& RequestParser::settings() {
  static const http_parser_settings kSettings = [] {
    http_parser_settings s;
    http_parser_settings_init(&s);
    s.on_url = on_url;
    s.on_header_field = on_header_field;
    s.on_header_value = on_header_value;
    s.on_headers_complete = on_headers_complete;
    s.on_body = on_body;
    s.on_message_complete = on_message_complete;
    return s;
  }();
  return kSettings;
}

void RequestParser::reset() {
  http_parser_init(&parser_, HTTP_REQUEST);
  parser_.data = this;
  headers_.clear();
  offset_ = needed_end_ = body_begin_ = body_size_ = 0;
  line_end_missing_ = 0;
  url_ = {};
  refusal_ = Outcome::kNeedMore;
  content_encoding_ = accept_encoding_ = -1;
  in_value_ = headers_complete_ = complete_ = keep_alive_ = expects_continue_ = false;
}

RequestParser::Outcome RequestParser::parse(char* data, size_t& size) {
  data_ = data;
  data_end_ = data + size;
  if (!check_chunk_end(data + offset_)) return Outcome::kMalformed;
  offset_ += http_parser_execute(&parser_, &settings(), data + offset_, size - offset_);
  if (refusal_ != Outcome::kNeedMore) return refusal_;
  if (complete_) return Outcome::kComplete;
  if (HTTP_PARSER_ERRNO(&parser_) != HPE_OK) {
    return HTTP_PARSER_ERRNO(&parser_) == HPE_HEADER_OVERFLOW ? Outcome::kHeadersTooLarge : Outcome::kMalformed;
  }
  if (!headers_complete_) return size > limits_.header_bytes_max ? Outcome::kHeadersTooLarge : Outcome::kNeedMore;
  if (parser_.flags & F_CHUNKED) size = offset_ = needed_end_;
  return Outcome::kNeedMore;
}

uint64_t RequestParser::body_bytes_missing() const { return parser_.flags & F_CHUNKED ? 0 : parser_.content_length; }

void RequestParser::view(const char* data, HttpRequest& request, std::vector<HttpHeader>& headers) const {
  const auto text = [data](Span span) { return std::string_view(data + span.begin, span.size); };
  headers.clear();
  for (const HeaderSpan& header : headers_) {
    headers.push_back({text(header.name), trim_header_value(text(header.value))});
  }
  request.headers = headers;
  request.method = http_method_str(static_cast<http_method>(parser_.method));
  std::string_view target = text(url_);
  if (!target.starts_with('/')) {
    // The absolute form, which proxies receive: only the part after the authority is used.
    const size_t scheme = target.find("://");
    if (scheme != target.npos) {
      const size_t slash = target.find_first_of("/?", scheme + 3);
      target = slash == target.npos ? std::string_view("/") : target.substr(slash);
    }
  }
  const size_t mark = target.find('?');
  request.path = target.substr(0, mark);
  if (request.path.empty()) request.path = "/";
  request.query = mark == target.npos ? std::string_view{} : target.substr(mark + 1);
  request.body = request.body_as_sent = std::string_view(data + body_begin_, body_size_);
}

int RequestParser::refuse(Outcome why) {
  refusal_ = why;
  return -1;
}

// A piece must directly follow the previous one; otherwise the header is folded.
bool RequestParser::extend(Span& span, const char* at, size_t size) {
  const size_t begin = static_cast<size_t>(at - data_);
  if (span.begin == 0) {
    span = {static_cast<uint32_t>(begin), static_cast<uint32_t>(size)};
  } else if (begin == span.begin + span.size) {
    span.size += static_cast<uint32_t>(size);
  } else {
    return size == 0;
  }
  needed_end_ = begin + size;
  return true;
}

int RequestParser::on_url(http_parser* p, const char* at, size_t size) {
  RequestParser& self = self_of(p);
  return self.extend(self.url_, at, size) ? 0 : self.refuse(Outcome::kMalformed);
}

int RequestParser::on_header_field(http_parser* p, const char* at, size_t size) {
  RequestParser& self = self_of(p);
  if (self.headers_complete_) return 0;  // ignore trailers after the last chunk
  if (self.headers_.empty() || self.in_value_) {
    if (self.headers_.size() >= self.limits_.headers_max) return self.refuse(Outcome::kHeadersTooLarge);
    self.headers_.emplace_back();
    self.in_value_ = false;
  }
  return self.extend(self.headers_.back().name, at, size) ? 0 : self.refuse(Outcome::kMalformed);
}

int RequestParser::on_header_value(http_parser* p, const char* at, size_t size) {
  RequestParser& self = self_of(p);
  if (self.headers_complete_) return 0;
  self.in_value_ = true;
  return self.extend(self.headers_.back().value, at, size) ? 0 : self.refuse(Outcome::kMalformed);
}

bool RequestParser::note_special_headers() {
  for (size_t i = 0; i < headers_.size(); ++i) {
    const std::string_view name(data_ + headers_[i].name.begin, headers_[i].name.size);
    // The library accepts blanks, but another HTTP implementation may not treat "Content-Length " as a length.
    if (name.find(' ') != name.npos) refusal_ = Outcome::kMalformed;
    switch (name.size()) {
      case 6:
        if (equals_ignoring_case(name, "expect")) {
          const Span value = headers_[i].value;
          if (!equals_ignoring_case(trim_header_value({data_ + value.begin, value.size}), "100-continue")) return false;
          expects_continue_ = !http_1_0();
        }
        break;
      case 15:
        if (accept_encoding_ < 0 && equals_ignoring_case(name, "accept-encoding"))
          accept_encoding_ = static_cast<int>(i);
        break;
      case 16:
        if (equals_ignoring_case(name, "content-encoding")) content_encoding_ = static_cast<int>(i);
        break;
      case 17:
        if (equals_ignoring_case(name, "transfer-encoding") && !(parser_.flags & F_CHUNKED)) {
          refusal_ = Outcome::kMalformed;
        }
        break;
    }
  }
  return true;
}

int RequestParser::on_headers_complete(http_parser* p) {
  RequestParser& self = self_of(p);
  self.headers_complete_ = true;
  self.keep_alive_ = http_should_keep_alive(p) != 0;
  p->upgrade = 0;  // decline an upgrade by answering in this protocol
  if (p->http_major != 1) return self.refuse(Outcome::kMalformed);
  if (self.needed_end_ > self.limits_.header_bytes_max) return self.refuse(Outcome::kHeadersTooLarge);
  if (!self.note_special_headers()) return self.refuse(Outcome::kUnknownExpectation);
  if (self.refusal_ != Outcome::kNeedMore) return -1;
  const bool has_length = (p->flags & F_CONTENTLENGTH) != 0;
  if (has_length && p->content_length > self.limits_.body_bytes_max) return self.refuse(Outcome::kBodyTooLarge);
  return 0;
}

// The library does not check the two bytes after a chunk, and another HTTP implementation may treat what is hidden
// there as a request.
bool RequestParser::check_chunk_end(const char* at) {
  for (; line_end_missing_ > 0 && at < data_end_; ++at, --line_end_missing_) {
    if (*at != (line_end_missing_ == 2 ? '\r' : '\n')) return false;
  }
  return true;
}

int RequestParser::on_body(http_parser* p, const char* at, size_t size) {
  RequestParser& self = self_of(p);
  if ((p->flags & F_CHUNKED) && p->content_length == 0) {
    self.line_end_missing_ = 2;
    if (!self.check_chunk_end(at + size)) return self.refuse(Outcome::kMalformed);
  }
  if (self.body_size_ + size > self.limits_.body_bytes_max) return self.refuse(Outcome::kBodyTooLarge);
  if (self.body_size_ == 0) self.body_begin_ = static_cast<size_t>(at - self.data_);
  char* end = self.data_ + self.body_begin_ + self.body_size_;
  if (at != end) std::memmove(end, at, size);  // joins chunks; the parser no longer needs either place
  self.body_size_ += size;
  self.needed_end_ = self.body_begin_ + self.body_size_;
  return 0;
}

int RequestParser::on_message_complete(http_parser* p) {
  self_of(p).complete_ = true;
  http_parser_pause(p, 1);
  return 0;
}

}  // namespace trestle
