// A JSON Web Key Set (RFC 7517): the keys that may have signed a caller's token.
//
// Supported: oct keys (HS256, at least 32 bytes), RSA keys (RS256, at least 2048 bits) and EC keys on P-256 (ES256).
// The key's type alone determines the algorithm, so a token cannot choose it; keys for other uses or algorithms are
// ignored. Immutable, hence thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct evp_pkey_st;

namespace trestle::api {

enum class JwtAlgorithm { kHs256, kRs256, kEs256 };
// "HS256"; nothing for any other name, and so for "none".
std::optional<JwtAlgorithm> jwt_algorithm(std::string_view name);

struct Jwk {
  std::string id;  // kid; empty: none
  JwtAlgorithm algorithm = JwtAlgorithm::kHs256;
  std::string secret;                             // kHs256
  std::shared_ptr<const evp_pkey_st> public_key;  // the others; shared because keys are copied, never changed
};

// Verifies `signature`, in the form of a JWS, over `signed_text`.
bool signature_holds(const Jwk& key, std::string_view signed_text, std::string_view signature);

class Jwks {
 public:
  // The error describes the problem, and never shows a key. A set without a usable key is an error.
  static BasicResult<Jwks, std::string> parse(std::string_view text);

  const std::vector<Jwk>& keys() const { return keys_; }

 private:
  std::vector<Jwk> keys_;
};

}  // namespace trestle::api
