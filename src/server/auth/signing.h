// AWS Signature Version 4 for requests to this server: canonical requests, and a cache of signing keys. The steps that
// do not depend on the request are in base/request_signature.h.
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

}  // namespace trestle
