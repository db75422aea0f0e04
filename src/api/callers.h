// Authenticates callers: derives `caller`, the claims that a design's rules test, from the headers of a request.
//
//   Authorization: Bearer <JWT>    its claims; `groups` is always a list, taken only from the configured claim
//   X-Api-Key: <key>               {sub: name, groups: [...]}
//   neither                        absent: not signed in
//
// An invalid token or key is rejected (401) even if no sign-in is required. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/api_keys.h"
#include "api/jwks.h"
#include "api/jwt.h"
#include "base/watched_file.h"
#include "runtime/values/plain.h"
#include "runtime/values/refusal.h"
#include "server/http/http.h"

namespace trestle::api {

struct CallerOptions {
  std::unique_ptr<WatchedFile<Jwks>> jwks;         // null: no token is accepted
  std::unique_ptr<WatchedFile<ApiKeys>> api_keys;  // null: no key is accepted
  // The keys are a development key, with which anyone on this machine can sign: it distinguishes callers but does not
  // restrict access.
  bool development = false;
  JwtRules rules = {};
  std::string groups_claim = "groups";  // may be a path: "realm_access.roles"
};

class Callers {
 public:
  Callers() = default;
  explicit Callers(CallerOptions options) : options_(std::move(options)) {}

  // Whether the operator configured keys that authenticate callers.
  bool configured() const {
    return (options_.jwks != nullptr && !options_.development) || options_.api_keys != nullptr;
  }

  struct NotAuthenticated {
    runtime::Refused refused;
    std::string challenge;  // WWW-Authenticate
  };
  BasicResult<runtime::Plain, NotAuthenticated> identify(const HttpRequest& request, int64_t now_ms) const;

 private:
  BasicResult<runtime::Plain, NotAuthenticated> by_token(std::string_view authorization, int64_t now_ms) const;
  BasicResult<runtime::Plain, NotAuthenticated> by_key(std::string_view key) const;

  CallerOptions options_;
};

// Sets `groups` to the list in the configured claim; a string is split at blanks. Without that claim `groups` is empty,
// whatever else the token contains.
runtime::Plain with_groups(runtime::Plain claims, std::string_view claim);
// The caller's `sub`, or an empty string.
std::string subject_of(const runtime::Plain& caller);

}  // namespace trestle::api
