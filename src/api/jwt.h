// Verifies signed JSON Web Tokens (RFC 7519, compact JWS of RFC 7515) and returns their claims.
//
// The signature is checked first, with the keys whose type fits the token's `alg` (and whose id equals its `kid`, if
// present); claims are read only afterwards. `exp` is required. Pure: the time is an argument.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/jwks.h"
#include "base/result.h"
#include "runtime/values/plain.h"

namespace trestle::api {

inline constexpr size_t kJwtCharactersMax = 8192;
inline constexpr int64_t kJwtLeewaySeconds = 60;  // tolerates clock differences

struct JwtRules {
  std::string issuer;    // empty: any
  std::string audience;  // empty: any
};

// The claims, a map. The error is a message for the caller.
BasicResult<runtime::Plain, std::string> verified_claims(std::string_view token, const Jwks& keys,
                                                         const JwtRules& rules, int64_t now_ms);

// A token with these claims, signed by an HS256 key.
std::string signed_token(const Jwk& key, const runtime::Plain& claims);

}  // namespace trestle::api
