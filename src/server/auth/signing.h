// AWS Signature Version 4 for requests to this server: canonical requests, a cache of signing keys, and signatures in
// the Authorization header or in the query. The steps that do not depend on the request are in
// base/request_signature.h.
//
// Pure functions, except SigningKeyCache, which is thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "access/credentials.h"
#include "base/mutex.h"
#include "base/request_signature.h"
#include "server/http/http.h"

namespace trestle {

// Parses "20150830T123600Z", the only accepted form.
std::optional<int64_t> parse_amz_date_ms(std::string_view date);

// The value of a query parameter, decoded; nullopt when absent.
std::optional<std::string> query_parameter(std::string_view query, std::string_view name);

// `signed_headers` is a list such as "host;x-amz-date", as in the Authorization header. The parameter X-Amz-Signature,
// which cannot sign itself, is left out of the query.
std::string canonical_request(const HttpRequest& request, std::string_view signed_headers);

// Caches signing keys by credential, date, region and service, because deriving one takes four HMACs.
class SigningKeyCache {
 public:
  Sha256Digest get(const Credential& credential, const SigningScope& scope);

 private:
  static constexpr size_t kEntriesMax = 1024;
  Mutex mutex_;
  std::map<std::string, Sha256Digest, std::less<>> keys_ GUARDED_BY(mutex_);
};

// The Authorization header for a request. All its headers are signed; they must already include Host, X-Amz-Date (equal
// to amz_date) and, for temporary credentials, X-Amz-Security-Token. The signed body is body_as_sent.
std::string sign_header(const HttpRequest& request, const Credential& credential, const SigningScope& scope,
                        std::string_view amz_date);
// The complete query of a presigned request, with X-Amz-Signature last.
std::string sign_query(const HttpRequest& request, const Credential& credential, const SigningScope& scope,
                       std::string_view amz_date, int64_t expires_seconds);

}  // namespace trestle
