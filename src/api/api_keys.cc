#include "api/api_keys.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>

namespace trestle::api {
namespace {

bool read_digest(std::string_view hex, Sha256Digest& out) {
  if (hex.size() != out.size() * 2) return false;
  for (size_t i = 0; i < hex.size(); ++i) {
    const char c = hex[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return false;
    out[i / 2] = static_cast<unsigned char>(out[i / 2] << 4 | digit);
  }
  return true;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

BasicResult<ApiKeys, std::string> ApiKeys::parse(std::string_view text) {
  ApiKeys result;
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const auto words = split(text.substr(0, end), " \t\r");
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (words.empty() || words[0].starts_with('#')) continue;
    ApiKey key{.name = std::string(words[0]), .groups = {}};
    if (words.size() < 2 || words.size() > 3 || !read_digest(words[1], key.digest)) {
      return std::unexpected(
          fmt::format("line {}: expected a name, the SHA-256 of the key as 64 hexadecimal digits, and groups", number));
    }
    if (std::ranges::any_of(result.keys_, [&](const ApiKey& other) { return other.digest == key.digest; }))
      return std::unexpected(fmt::format("line {}: two names have the same key", number));
    if (words.size() == 3) {
      for (const std::string_view group : split(words[2], ",")) key.groups.emplace_back(group);
    }
    result.keys_.push_back(std::move(key));
  }
  if (result.keys_.empty()) return std::unexpected(std::string("it contains no keys"));
  return result;
}

const ApiKey* ApiKeys::find(std::string_view key) const {
  const Sha256Digest digest = sha256(key);
  const ApiKey* found = nullptr;
  for (const ApiKey& candidate : keys_) {
    if (CRYPTO_memcmp(candidate.digest.data(), digest.data(), digest.size()) == 0) found = &candidate;
  }
  return found;
}

}  // namespace trestle::api
