// AWS Signature Version 4 of the server's requests: canonical requests, cached keys, and both places of a signature.
// The steps that do not depend on the request are in base/request_signature.h.
//
// Pure functions, except the key cache, which threads may share.
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

// "20150830T123600Z"; only this form is read.
std::optional<int64_t> parse_amz_date_ms(std::string_view date);

// The value of a query parameter, decoded; nullopt when absent.
std::optional<std::string> query_parameter(std::string_view query, std::string_view name);

// signed_headers is "host;x-amz-date", as the Authorization header lists it. The parameter X-Amz-Signature, which
// cannot cover itself, is left out of the query.
std::string canonical_request(const HttpRequest& request, std::string_view signed_headers);

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
