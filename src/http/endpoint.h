// An endpoint parsed from a URL: http or https, a host, a port and a path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/failure.h"

namespace trestle::http {

struct Endpoint {
  bool tls = false;
  std::string host;  // without the brackets of an IPv6 address
  uint16_t port = 0;
  std::string path = "/";

  // The Host header. The scheme's default port is omitted, as clients that sign requests do.
  std::string host_header() const;
};

// Fails for URLs with user names, queries or fragments, which an endpoint does not have.
Result<Endpoint> parse_endpoint(std::string_view url);

}  // namespace trestle::http
