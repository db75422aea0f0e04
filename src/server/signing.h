// AWS Signature Version 4: what both the signer and the verifier of a request compute.
//
//   canonical request -> its hash in a string to sign -> HMAC with a key derived from secret, day, region, service
//
// Pure functions, except the key cache, which threads may share.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "server/credentials.h"
#include "server/http.h"
#include "base/sha256.h"

namespace trestle {

struct SigningScope {
  std::string_view date;  // "20150830"
  std::string_view region;
  std::string_view service;
};

// "20150830T123600Z" and back; only this form is read.
std::string format_amz_date(int64_t unix_ms);
std::optional<int64_t> parse_amz_date_ms(std::string_view date);

std::string percent_encode(std::string_view text);
std::string percent_decode(std::string_view text);
// The value of a query parameter, decoded; nullopt when absent.
std::optional<std::string> query_parameter(std::string_view query, std::string_view name);

// signed_headers is "host;x-amz-date", as the Authorization header lists it. The parameter X-Amz-Signature, which
// cannot cover itself, is left out of the query.
std::string canonical_request(const HttpRequest& request, std::string_view signed_headers);
std::string string_to_sign(std::string_view amz_date, const SigningScope& scope, std::string_view canonical);

Sha256Digest signing_key(std::string_view secret, const SigningScope& scope);
std::string signature(const Sha256Digest& key, std::string_view to_sign);

// Signing keys of recent days, regions and services: deriving one takes four HMACs.
class SigningKeyCache {
 public:
  Sha256Digest get(const Credential& credential, const SigningScope& scope);

 private:
  static constexpr size_t kEntriesMax = 1024;
  Mutex mutex_;
  std::map<std::string, Sha256Digest, std::less<>> keys_ GUARDED_BY(mutex_);
};

// The Authorization header for a request whose headers, all of which are signed, already hold Host, X-Amz-Date (the
// same as amz_date) and, for temporary credentials, X-Amz-Security-Token. The body is body_as_sent.
std::string sign_header(const HttpRequest& request, const Credential& credential, const SigningScope& scope,
                        std::string_view amz_date);
// The whole query, X-Amz-Signature last, of a request that carries its signature there.
std::string sign_query(const HttpRequest& request, const Credential& credential, const SigningScope& scope,
                       std::string_view amz_date, int64_t expires_seconds);

}  // namespace trestle
