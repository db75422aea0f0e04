#include "http/endpoint.h"

#include <fmt/format.h>

#include <charconv>

namespace trestle::http {

namespace {

Result<uint16_t> parse_port(std::string_view text, std::string_view url) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0) {
    return fail(fmt::format("{}: the port must be a number from 1 to 65535", url));
  }
  return port;
}

}  // namespace

std::string Endpoint::host_header() const {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  const uint16_t usual = tls ? 443 : 80;
  return port == usual ? name : fmt::format("{}:{}", name, port);
}

Result<Endpoint> parse_endpoint(std::string_view url) {
  Endpoint endpoint;
  std::string_view rest = url;
  if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
    endpoint.tls = true;
  } else {
    return fail(fmt::format("{}: an endpoint begins with http:// or https://", url));
  }
  if (rest.find_first_of("@?# \r\n") != std::string_view::npos) {
    return fail(fmt::format("{}: an endpoint is only a scheme, a host, a port and a path", url));
  }
  if (const size_t slash = rest.find('/'); slash != std::string_view::npos) {
    endpoint.path = rest.substr(slash);
    rest = rest.substr(0, slash);
  }

  std::string_view port;
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == std::string_view::npos) return fail(fmt::format("{}: the [ is never closed", url));
    endpoint.host = rest.substr(1, close - 1);
    port = rest.substr(close + 1);
    if (!port.empty() && port.front() != ':') return fail(fmt::format("{}: only a port may follow the ]", url));
  } else {
    const size_t colon = std::min(rest.find(':'), rest.size());
    endpoint.host = rest.substr(0, colon);
    port = rest.substr(colon);
  }
  if (endpoint.host.empty()) return fail(fmt::format("{}: the host is missing", url));
  endpoint.port = endpoint.tls ? 443 : 80;
  if (!port.empty()) {
    TRY_INTO(endpoint.port, parse_port(port.substr(1), url));
  }
  return endpoint;
}

}  // namespace trestle::http
