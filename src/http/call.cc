#include "http/call.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "http/connection.h"
#include "http/response.h"

namespace trestle {
namespace {

constexpr size_t kReplyBytesMax = 16u << 20;

std::string joined(std::string path, const std::string& more) {
  if (more.empty()) return path;
  while (path.ends_with('/')) path.pop_back();
  return path + more;
}

}  // namespace

http::Result<HttpAnswer> call_http(const HttpCall& call) {
  TRY_INTO(const http::Endpoint endpoint, http::parse_endpoint(call.url));
  TRY_INTO(const auto tls, http::make_tls(endpoint, true));
  TRY_INTO(http::Connection connection,
           http::Connection::open(endpoint, tls.get(),
                                  {.connect_ms = call.connect_timeout_ms, .transfer_ms = call.timeout_ms}));
  std::string request = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", call.method,
                                    joined(endpoint.path, call.path), endpoint.host_header());
  for (const auto& [name, value] : call.headers) request += fmt::format("{}: {}\r\n", name, value);
  request += fmt::format("Content-Length: {}\r\n\r\n{}", call.body.size(), call.body);
  for (std::string_view rest = request; !rest.empty();) {
    const auto sent = connection.write(rest);
    if (sent.end == http::Connection::End::kBlocked) return http::fail(fmt::format("{}: timed out", call.url));
    if (sent.end == http::Connection::End::kClosed)
      return http::fail(fmt::format("{}: the connection was closed", call.url));
    rest.remove_prefix(sent.bytes);
  }
  // An endpoint that sends a byte now and then must not block the call forever.
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::milliseconds(2 * call.timeout_ms);
  http::ResponseReader reader(kReplyBytesMax);
  std::array<char, 16 * 1024> buffer;
  for (;;) {
    const auto got = connection.read(buffer.data(), buffer.size());
    if (got.end == http::Connection::End::kBlocked || std::chrono::steady_clock::now() >= give_up_at)
      return http::fail(fmt::format("{}: timed out", call.url));
    if (got.end == http::Connection::End::kClosed)
      return http::fail(fmt::format("{}: the connection was closed before the reply ended", call.url));
    switch (reader.feed(std::string_view(buffer.data(), got.bytes))) {
      case http::ResponseState::kComplete:
        return HttpAnswer{.status = reader.response().status,
                          .body = std::string(reader.response().body),
                          .etag = reader.response().etag};
      case http::ResponseState::kMalformed:
        return http::fail(fmt::format("{}: this is not HTTP", call.url));
      case http::ResponseState::kIncomplete:
        break;
    }
  }
}

}  // namespace trestle
