// SHA-256 and HMAC-SHA-256 through OpenSSL. The algorithm is fetched once per process and the context is allocated once
// per thread, because fetching on each call costs more than hashing a request. Thread-safe.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace trestle {

using Sha256Digest = std::array<unsigned char, 32>;

Sha256Digest sha256(std::string_view bytes);
Sha256Digest hmac_sha256(std::string_view key, std::string_view bytes);
inline Sha256Digest hmac_sha256(const Sha256Digest& key, std::string_view bytes) {
  return hmac_sha256(std::string_view(reinterpret_cast<const char*>(key.data()), key.size()), bytes);
}
void append_hex(std::string& out, const Sha256Digest& digest);

}  // namespace trestle
