#include "server/auth/browser_access.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"

namespace trestle {
namespace {

// "localhost:8000" and "[::1]:8000" without their ports and brackets.
std::string_view without_port(std::string_view authority) {
  if (authority.starts_with('[')) {
    const size_t end = authority.find(']');
    return end == authority.npos ? authority : authority.substr(1, end - 1);
  }
  return authority.substr(0, authority.find(':'));
}

bool is_loopback_host(std::string_view host) {
  if (equals_ignoring_case(host, "localhost") || equals_ignoring_case(host, "localhost.")) return true;
  const std::string text(host);
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  return inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool is_address(std::string_view host) {
  const std::string text(host);
  in6_addr any{};
  return inet_pton(AF_INET, text.c_str(), &any) == 1 || inet_pton(AF_INET6, text.c_str(), &any) == 1;
}

// Whether the name cannot be resolved by public DNS: "db", "db.internal", "db.default.svc.cluster.local".
bool is_local_name(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty()) return false;
  if (is_address(host) || host.find('.') == host.npos) return true;
  for (const std::string_view domain : {".internal", ".local", ".localhost", ".test", ".home.arpa"}) {
    if (host.size() > domain.size() && equals_ignoring_case(host.substr(host.size() - domain.size()), domain))
      return true;
  }
  return false;
}

bool is_own_origin(std::string_view origin, std::string_view host) {
  const size_t scheme_end = origin.find("://");
  return scheme_end != origin.npos && !host.empty() && equals_ignoring_case(origin.substr(scheme_end + 3), host);
}

}  // namespace

bool BrowserAccess::lists_origin(const HttpRequest& request) const {
  const HttpHeader* origin = request.find("origin");
  return origin != nullptr && std::ranges::any_of(origins, [&](const std::string& listed) {
           return listed == "*" || equals_ignoring_case(listed, origin->value);
         });
}

std::optional<std::string> BrowserAccess::refusal(const HttpRequest& request, bool callers_verified) const {
  const HttpHeader* host = request.find("host");
  if (host != nullptr && !callers_verified) {
    const std::string_view name = without_port(host->value);
    const bool listed = std::ranges::any_of(
        hosts, [&](const std::string& listed_host) { return equals_ignoring_case(listed_host, name); });
    if (!listed && !is_loopback_host(name) && !(local_networks && is_local_name(name))) {
      return fmt::format("This server does not answer to the name \"{0}\"; to allow it, pass --host {0}.", name);
    }
  }
  const HttpHeader* origin = request.find("origin");
  if (origin != nullptr && !is_own_origin(origin->value, request.header("host")) && !lists_origin(request)) {
    return fmt::format("Pages of the origin \"{0}\" may not call this server; to allow them, pass --cors {0}.",
                       origin->value);
  }
  return std::nullopt;
}

std::optional<HttpReply> preflight_reply(const HttpRequest& request, const BrowserAccess& access,
                                         std::string_view exposed_headers) {
  if (request.method != "OPTIONS" || !access.lists_origin(request)) return std::nullopt;
  HttpReply reply;
  add_cors_headers(request, access, exposed_headers, reply);
  if (const auto* requested = request.find("access-control-request-headers")) {
    reply.add_header("Access-Control-Allow-Headers", requested->value);
  }
  if (const auto* requested = request.find("access-control-request-method")) {
    reply.add_header("Access-Control-Allow-Methods", requested->value);
  }
  reply.add_header("Access-Control-Max-Age", "172800");
  return reply;
}

void add_cors_headers(const HttpRequest& request, const BrowserAccess& access, std::string_view exposed_headers,
                      HttpReply& reply) {
  if (!access.lists_origin(request)) return;
  const bool any = std::ranges::find(access.origins, "*") != access.origins.end();
  reply.add_header("Access-Control-Allow-Origin", any ? std::string_view("*") : request.header("origin"));
  if (!any) reply.add_header("Vary", "Origin");
  reply.add_header("Access-Control-Expose-Headers", exposed_headers);
}

}  // namespace trestle
