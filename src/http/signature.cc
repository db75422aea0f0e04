#include "http/signature.h"

#include <fmt/format.h>

#include <cstdlib>

namespace trestle::http {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

std::optional<Credentials> credentials_from_environment() {
  Credentials credentials{.access_key = environment("AWS_ACCESS_KEY_ID"),
                          .secret_key = environment("AWS_SECRET_ACCESS_KEY"),
                          .session_token = environment("AWS_SESSION_TOKEN")};
  if (credentials.access_key.empty() || credentials.secret_key.empty()) return std::nullopt;
  return credentials;
}

std::string format_date_time(std::time_t now_s) {
  std::tm utc;
  gmtime_r(&now_s, &utc);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
                     utc.tm_min, utc.tm_sec);
}

Signer::Signer(Credentials credentials, std::string region)
    : credentials_(std::move(credentials)), region_(std::move(region)) {}

std::string_view Signer::signed_headers() const {
  return credentials_.session_token.empty() ? "host;x-amz-date;x-amz-target"
                                            : "host;x-amz-date;x-amz-security-token;x-amz-target";
}

void Signer::derive_key(std::string_view date) {
  key_date_ = date;
  const Sha256Digest day = hmac_sha256("AWS4" + credentials_.secret_key, date);
  key_ = hmac_sha256(hmac_sha256(hmac_sha256(day, region_), "dynamodb"), "aws4_request");
}

std::string Signer::sign(const SignedParts& parts) {
  const std::string_view date = parts.date_time.substr(0, 8);
  if (date != key_date_) derive_key(date);

  std::string request = fmt::format("POST\n{}\n\nhost:{}\nx-amz-date:{}\n", parts.path, parts.host, parts.date_time);
  if (!credentials_.session_token.empty()) {
    request.append("x-amz-security-token:").append(credentials_.session_token).append("\n");
  }
  request.append("x-amz-target:").append(parts.target).append("\n\n");
  request.append(signed_headers()).append("\n");
  append_hex(request, sha256(parts.body));

  std::string to_sign =
      fmt::format("AWS4-HMAC-SHA256\n{}\n{}/{}/dynamodb/aws4_request\n", parts.date_time, date, region_);
  append_hex(to_sign, sha256(request));
  std::string signature;
  append_hex(signature, hmac_sha256(key_, to_sign));
  return signature;
}

}  // namespace trestle::http
