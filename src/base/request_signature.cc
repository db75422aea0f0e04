#include "base/request_signature.h"

#include <fmt/format.h>

#include <ctime>

namespace trestle {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string format_amz_date(int64_t unix_ms) {
  const std::time_t seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm utc;
  gmtime_r(&seconds, &utc);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &utc));
}

std::string scope_text(const SigningScope& scope) {
  return fmt::format("{}/{}/{}/aws4_request", scope.date, scope.region, scope.service);
}

std::string string_to_sign(std::string_view amz_date, const SigningScope& scope, std::string_view canonical_request) {
  std::string out;
  out.reserve(192);
  out.append(kAlgorithm).append("\n").append(amz_date).append("\n").append(scope_text(scope)).append("\n");
  append_hex(out, sha256(canonical_request));
  return out;
}

Sha256Digest signing_key(std::string_view secret, const SigningScope& scope) {
  const Sha256Digest day = hmac_sha256(std::string("AWS4").append(secret), scope.date);
  const Sha256Digest region = hmac_sha256(day, scope.region);
  const Sha256Digest service = hmac_sha256(region, scope.service);
  return hmac_sha256(service, "aws4_request");
}

std::string signature(const Sha256Digest& key, std::string_view to_sign) {
  std::string out;
  append_hex(out, hmac_sha256(key, to_sign));
  return out;
}

std::string authorization_value(const AuthorizationParts& parts) {
  return fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kAlgorithm, parts.access_key,
                     scope_text(parts.scope), parts.signed_headers, parts.signature);
}

}  // namespace trestle
