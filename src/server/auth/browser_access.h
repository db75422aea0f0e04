// Restricts which web pages may call this server, and under which host names it may be called.
//
// A server without credentials trusts every program on its machine. A browser is such a program, and it runs the code
// of any page that it shows. Two checks keep pages out:
//   Origin   browsers send it with every call by a page of another origin. Pages of the server itself (the same host
//            and port) may call; another origin must be listed.
//   Host     a page can point a DNS name at 127.0.0.1 (DNS rebinding), and then counts as a page of the server. So
//            the Host header must name a loopback address, `localhost` or a listed host, with any port. A server for
//            the containers of a network (`local_networks`) also answers to what no page can get from public DNS:
//            addresses, names without a dot, and names in domains that are reserved for local use.
// A request without these headers does not come from a browser and passes. Pure and thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http.h"

namespace trestle {

struct BrowserAccess {
  std::vector<std::string> origins = {};  // "https://app.example.com"; "*" is any
  std::vector<std::string> hosts = {};    // without a port
  bool local_networks = false;            // names and addresses of a local network are hosts of the server too

  // Whether the request's Origin is listed. A request without one, or from a page of this server, needs no CORS
  // headers.
  bool lists_origin(const HttpRequest& request) const;
  // Why the request must be rejected, with the flag that would allow it; nullopt: it is allowed. `callers_verified` is
  // true if every caller is authenticated, so that the host name does not matter.
  std::optional<std::string> refusal(const HttpRequest& request, bool callers_verified) const;
};

// The whole reply to a preflight of a listed origin; nullopt for every other request.
std::optional<HttpReply> preflight_reply(const HttpRequest& request, const BrowserAccess& access,
                                         std::string_view exposed_headers);
// Adds what lets a page of a listed origin read the reply, and of its headers those in the list `exposed_headers`.
void add_cors_headers(const HttpRequest& request, const BrowserAccess& access, std::string_view exposed_headers,
                      HttpReply& reply);

}  // namespace trestle
