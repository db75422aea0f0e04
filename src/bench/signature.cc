#include "bench/signature.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdlib>

#include "base/check.h"

namespace trestle::bench {

namespace {

std::string sha256(std::string_view bytes) {
  std::string digest(32, '\0');
  CHECK(EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()), nullptr, EVP_sha256(),
                   nullptr) == 1);
  return digest;
}

std::string hmac(std::string_view key, std::string_view bytes) {
  std::string digest(32, '\0');
  CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
             reinterpret_cast<unsigned char*>(digest.data()), nullptr) != nullptr);
  return digest;
}

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

}  // namespace

std::optional<Credentials> credentials_from_environment() {
  Credentials credentials{.access_key = environment("AWS_ACCESS_KEY_ID"),
                          .secret_key = environment("AWS_SECRET_ACCESS_KEY"),
                          .session_token = environment("AWS_SESSION_TOKEN")};
  if (credentials.access_key.empty() || credentials.secret_key.empty()) return std::nullopt;
  return credentials;
}

Signer::Signer(Credentials credentials, std::string region)
    : credentials_(std::move(credentials)), region_(std::move(region)) {}

std::string_view Signer::signed_headers() const {
  return credentials_.session_token.empty() ? "host;x-amz-date;x-amz-target"
                                            : "host;x-amz-date;x-amz-security-token;x-amz-target";
}

void Signer::derive_key(std::string_view date) {
  key_date_ = date;
  key_ = hmac(hmac(hmac(hmac("AWS4" + credentials_.secret_key, date), region_), "dynamodb"), "aws4_request");
}

std::string Signer::sign(const SignedParts& parts) {
  const std::string_view date = parts.date_time.substr(0, 8);
  if (date != key_date_) derive_key(date);

  std::string request = fmt::format("POST\n{}\n\nhost:{}\nx-amz-date:{}\n", parts.path, parts.host, parts.date_time);
  if (!credentials_.session_token.empty()) {
    request.append("x-amz-security-token:").append(credentials_.session_token).append("\n");
  }
  request.append("x-amz-target:").append(parts.target).append("\n\n");
  request.append(signed_headers()).append("\n").append(hex(sha256(parts.body)));

  return hex(hmac(key_, fmt::format("AWS4-HMAC-SHA256\n{}\n{}/{}/dynamodb/aws4_request\n{}", parts.date_time, date,
                                    region_, hex(sha256(request)))));
}

}  // namespace trestle::bench
