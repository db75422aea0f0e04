#include "cli/serve/serve_checks.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <utility>

namespace trestle {

bool is_loopback(const std::string& address) {
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool trusts_callers(const ServeOptions& options) { return options.open || is_loopback(options.bind); }

std::string refusal_of_callers(const ServeOptions& options) {
  if (options.open) {
    const std::pair<const char*, bool> production[] = {{"--credentials", !options.credentials.empty()},
                                                       {"--policies", !options.policies.empty()},
                                                       {"--audit", !options.audit.empty()},
                                                       {"--tls-certificate", !options.tls_certificate.empty()},
                                                       {"--jwks", !options.designs.jwks.empty()},
                                                       {"--api-keys", !options.designs.api_keys.empty()},
                                                       {"--on", !options.designs.on.empty()},
                                                       {"--edit", options.designs.edit}};
    for (const auto& [flag, is_set] : production) {
      if (!is_set) continue;
      return fmt::format(
          "--open cannot be combined with {}: with --open anyone may read and write, which is for tests. "
          "In a container, set TRESTLE_SERVE_OPEN=false and give --bind 0.0.0.0",
          flag);
    }
    return {};
  }
  if (is_loopback(options.bind)) return {};
  if (options.credentials.empty()) {
    return fmt::format(
        "{} can be reached by others, and without --credentials anyone could read and write: give a credentials file, "
        "or bind a loopback address such as 127.0.0.1, or for tests let anyone in with --open",
        options.bind);
  }
  if (!options.designs.files.empty() && !options.designs.can_sign_in()) {
    return fmt::format(
        "{} can be reached by others, and without --jwks or --api-keys anyone could call the designs: give one of "
        "them, "
        "or bind a loopback address such as 127.0.0.1",
        options.bind);
  }
  return {};
}

std::string refusal_of_reset(const ServeOptions& options) {
  if (!options.memory_store) return "POST /reset needs --memory-store: a server does not erase its data folder.";
  if (!options.designs.on.empty()) return "POST /reset cannot be combined with --on: the data is elsewhere.";
  if (!options.credentials.empty()) return "POST /reset cannot be combined with --credentials.";
  if (!options.audit.empty()) return "POST /reset cannot be combined with --audit.";
  return {};
}

std::string refusal_of_isolation(const ServeOptions& options) {
  if (!options.isolate) return {};
  if (!options.credentials.empty()) return "--isolate cannot be combined with --credentials.";
  if (!options.audit.empty()) return "--isolate cannot be combined with --audit.";
  if (!options.designs.files.empty())
    return "--isolate cannot be combined with --design: a design has one set of tables.";
  return {};
}

}  // namespace trestle
