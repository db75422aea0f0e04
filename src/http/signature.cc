#include "http/signature.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/request_signature.h"

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

std::string format_date_time(std::time_t now_s) { return format_amz_date(int64_t{now_s} * 1000); }

Signer::Signer(Credentials credentials, std::string region)
    : credentials_(std::move(credentials)), region_(std::move(region)) {}

std::string_view Signer::signed_headers() const {
  return credentials_.session_token.empty() ? "host;x-amz-date;x-amz-target"
                                            : "host;x-amz-date;x-amz-security-token;x-amz-target";
}

std::string Signer::sign(const SignedParts& parts) {
  const SigningScope scope{.date = parts.date_time.substr(0, 8), .region = region_, .service = "dynamodb"};
  if (scope.date != key_date_) {
    key_date_ = scope.date;
    key_ = signing_key(credentials_.secret_key, scope);
  }

  std::string request = fmt::format("POST\n{}\n\nhost:{}\nx-amz-date:{}\n", parts.path, parts.host, parts.date_time);
  if (!credentials_.session_token.empty()) {
    request.append("x-amz-security-token:").append(credentials_.session_token).append("\n");
  }
  request.append("x-amz-target:").append(parts.target).append("\n\n");
  request.append(signed_headers()).append("\n");
  append_hex(request, sha256(parts.body));

  return signature(key_, string_to_sign(parts.date_time, scope, request));
}

}  // namespace trestle::http
