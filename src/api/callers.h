// Who calls: from the headers of a request to `caller`, the claims that a design's rules are about.
//
//   Authorization: Bearer <JWT>    its claims; `groups` is always a list, taken from the configured claim and no other
//   X-Api-Key: <key>               {sub: name, groups: [...]}
//   neither                        absent: nobody signed in
//
// A token or key that is not good is refused (401) even where nobody would have had to sign in. Threads may share it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/api_keys.h"
#include "api/jwks.h"
#include "api/jwt.h"
#include "runtime/call/refusal.h"
#include "runtime/values/plain.h"
#include "server/auth/watched_file.h"
#include "server/http/http.h"

namespace trestle::api {

struct CallerOptions {
  std::unique_ptr<WatchedFile<Jwks>> jwks;         // null: no token is good
  std::unique_ptr<WatchedFile<ApiKeys>> api_keys;  // null: no key is
  JwtRules rules = {};
  std::string groups_claim = "groups";  // also a path: "realm_access.roles"
};

class Callers {
 public:
  Callers() = default;
  explicit Callers(CallerOptions options) : options_(std::move(options)) {}

  // Whether anyone can sign in at all.
  bool configured() const { return options_.jwks != nullptr || options_.api_keys != nullptr; }

  struct NotKnown {
    runtime::Refused refused;
    std::string challenge;  // WWW-Authenticate
  };
  BasicResult<runtime::Plain, NotKnown> identify(const HttpRequest& request, int64_t now_ms) const;

 private:
  BasicResult<runtime::Plain, NotKnown> by_token(std::string_view authorization, int64_t now_ms) const;
  BasicResult<runtime::Plain, NotKnown> by_key(std::string_view key) const;

  CallerOptions options_;
};

// The claims with `groups` as the list that the claim says; a text is taken as names between blanks. Without that claim
// there are none, whatever else the token says about groups.
runtime::Plain with_groups(runtime::Plain claims, std::string_view claim);
// The caller's `sub`, or nothing.
std::string subject_of(const runtime::Plain& caller);

}  // namespace trestle::api
