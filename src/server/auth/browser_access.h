// Restricts which web pages may call this server, and under which host names it may be called.
//
// A server without credentials trusts every program on its machine, including a browser, which runs the code of any
// page it shows. Two checks keep foreign pages out:
//   Origin   Browsers send it with every cross-origin request. Pages of the server itself (the same host
//            and port) may call; another origin must be listed.
//   Host     A page can point a DNS name at 127.0.0.1 (DNS rebinding) and then passes as a page of the server. So
//            the Host header must name a loopback address, `localhost` or a listed host, with any port. A server for
//            the containers of a network (`local_networks`) also accepts names that public DNS cannot resolve:
//            addresses, names without a dot, and names in domains that are reserved for local use.
// A request without these headers does not come from a browser and is allowed. Pure and thread-safe.
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
  bool local_networks = false;            // names and addresses of a local network are accepted as hosts too

  // Whether the request's Origin is listed. A request without one, or from a page of this server, needs no CORS
  // headers.
  bool lists_origin(const HttpRequest& request) const;
  // Why the request must be rejected, naming the flag that would allow it; nullopt if it is allowed.
  // `callers_verified`: every caller is authenticated, so the host name does not matter.
  std::optional<std::string> refusal(const HttpRequest& request, bool callers_verified) const;
};

// The whole reply to a preflight of a listed origin; nullopt for every other request.
std::optional<HttpReply> preflight_reply(const HttpRequest& request, const BrowserAccess& access,
                                         std::string_view exposed_headers);
// Adds the headers that let a page of a listed origin read the reply. `exposed_headers` lists the reply headers it may
// see.
void add_cors_headers(const HttpRequest& request, const BrowserAccess& access, std::string_view exposed_headers,
                      HttpReply& reply);

}  // namespace trestle
