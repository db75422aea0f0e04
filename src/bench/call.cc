#include "bench/call.h"

#include <fmt/format.h>
#include <poll.h>

namespace trestle::bench {

Result<Reply> Caller::call(std::string_view operation, std::string_view body) {
  if (!connection_) {
    TRY_INTO(connection_, Connection::open(context_.endpoint, tls_));
  }
  const RequestTemplate request(context_, {.operation = operation, .body = body});
  TRY(send(request.bytes()));
  return receive();
}

Result<std::string> Caller::must(std::string_view operation, std::string_view body) {
  TRY_INTO(Reply reply, call(operation, body));
  if (reply.status != 200) return fail(fmt::format("{}: {} {}", operation, reply.status, reply.body));
  return std::move(reply.body);
}

Result<void> Caller::send(std::string_view request) {
  while (!request.empty()) {
    const auto [end, bytes] = connection_->write(request);
    if (end == Connection::End::kClosed) return fail("the endpoint closed the connection");
    if (end == Connection::End::kBlocked) TRY(wait(POLLOUT));
    request.remove_prefix(bytes);
  }
  return {};
}

Result<Reply> Caller::receive() {
  ResponseReader reader;
  std::string buffer(64u << 10, '\0');
  while (true) {
    const auto [end, bytes] = connection_->read(buffer.data(), buffer.size());
    if (end == Connection::End::kClosed) return fail("the endpoint closed the connection before it answered");
    if (end == Connection::End::kBlocked) {
      TRY(wait(POLLIN));
      continue;
    }
    const ResponseState state = reader.feed({buffer.data(), bytes});
    if (state == ResponseState::kMalformed) return fail("the response is not HTTP/1.1 with a length");
    if (state == ResponseState::kComplete) break;
  }
  Reply reply{.status = reader.response().status, .body = std::string(reader.response().body)};
  if (reader.response().closes_connection) connection_.reset();
  return reply;
}

Result<void> Caller::wait(short events) {
  pollfd waiting{.fd = connection_->descriptor(), .events = events, .revents = 0};
  if (poll(&waiting, 1, 60'000) <= 0) return fail("the endpoint has not answered for 60 seconds");
  return {};
}

std::optional<std::string_view> find_string(std::string_view json, std::string_view name) {
  const std::string field = fmt::format("\"{}\"", name);
  size_t at = json.find(field);
  if (at == std::string_view::npos) return std::nullopt;
  at = json.find_first_not_of(" \r\n\t:", at + field.size());
  if (at == std::string_view::npos || json[at] != '"') return std::nullopt;
  const size_t end = json.find('"', at + 1);
  if (end == std::string_view::npos) return std::nullopt;
  return json.substr(at + 1, end - at - 1);
}

std::optional<std::string_view> find_object(std::string_view json, std::string_view name) {
  const std::string field = fmt::format("\"{}\"", name);
  size_t at = json.find(field);
  if (at == std::string_view::npos) return std::nullopt;
  at = json.find_first_not_of(" \r\n\t:", at + field.size());
  if (at == std::string_view::npos || json[at] != '{') return std::nullopt;
  int depth = 0;
  bool quoted = false;
  for (size_t end = at; end < json.size(); ++end) {
    const char c = json[end];
    if (quoted) {
      if (c == '\\') ++end;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return json.substr(at, end + 1 - at);
    }
  }
  return std::nullopt;
}

}  // namespace trestle::bench
