#include "api/page_token.h"

#include <openssl/crypto.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/check.h"

namespace trestle::api {
namespace {

constexpr char kVersion = 1;
constexpr size_t kTokenCharactersMax = 16'384;

Sha256Digest mac_of(const Sha256Digest& key, std::string_view position, const PageBinding& binding) {
  std::string covered;
  append_sized(covered, binding.design);
  append_varint(covered, static_cast<uint64_t>(binding.version));
  append_sized(covered, binding.operation);
  append_sized(covered, binding.caller);
  append_sized(covered, binding.inputs);
  append_sized(covered, position);
  return hmac_sha256(key, covered);
}

}  // namespace

PageTokens::PageTokens(const std::vector<std::string>& secrets) {
  CHECK(!secrets.empty());
  for (const std::string& secret : secrets) keys_.push_back(hmac_sha256(secret, "trestle page tokens 1"));
}

std::string PageTokens::seal(std::string_view position, const PageBinding& binding) const {
  const Sha256Digest mac = mac_of(keys_.front(), position, binding);
  std::string bytes(1, kVersion);
  bytes.append(reinterpret_cast<const char*>(mac.data()), mac.size());
  bytes.append(position);
  return trestle::base64url_text(bytes);
}

std::optional<std::string> PageTokens::open(std::string_view token, const PageBinding& binding) const {
  if (token.size() > kTokenCharactersMax) return std::nullopt;
  const auto bytes = base64url_bytes(token);
  constexpr size_t kHead = 1 + sizeof(Sha256Digest);
  if (!bytes || bytes->size() <= kHead || bytes->front() != kVersion) return std::nullopt;
  const std::string position = bytes->substr(kHead);
  for (const Sha256Digest& key : keys_) {
    const Sha256Digest mac = mac_of(key, position, binding);
    if (CRYPTO_memcmp(mac.data(), bytes->data() + 1, mac.size()) == 0) return position;
  }
  return std::nullopt;
}

}  // namespace trestle::api
