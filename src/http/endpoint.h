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

  // The Host header: the port is left out when it is the scheme's own, as clients that sign requests do.
  std::string host_header() const;
};

// Refuses user names, queries and fragments: an endpoint has none.
Result<Endpoint> parse_endpoint(std::string_view url);

}  // namespace trestle::http
