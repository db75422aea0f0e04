// A JSON Web Key Set (RFC 7517): the keys that may have signed a caller's token.
//
// Supported: oct keys (HS256, at least 32 bytes), RSA keys (RS256, at least 2048 bits) and EC keys on P-256 (ES256).
// The key type alone determines the algorithm, so a token cannot choose it. Keys for other uses or algorithms are
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
// Parses "HS256" and so on; nullopt for any other name, including "none".
std::optional<JwtAlgorithm> jwt_algorithm(std::string_view name);

struct Jwk {
  std::string id;  // kid; empty: none
  JwtAlgorithm algorithm = JwtAlgorithm::kHs256;
  std::string secret;                             // kHs256
  std::shared_ptr<const evp_pkey_st> public_key;  // for the others; shared because keys are copied but never changed
};

// Verifies the JWS signature `signature` of `signed_text`.
bool signature_holds(const Jwk& key, std::string_view signed_text, std::string_view signature);

class Jwks {
 public:
  // The error describes the problem without revealing a key. A set without a usable key is an error.
  static BasicResult<Jwks, std::string> parse(std::string_view text);

  const std::vector<Jwk>& keys() const { return keys_; }

 private:
  std::vector<Jwk> keys_;
};

}  // namespace trestle::api
