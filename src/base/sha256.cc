#include "base/sha256.h"

#include <openssl/evp.h>

#include <cstring>
#include <memory>

#include "base/check.h"

namespace trestle {

namespace {

constexpr size_t kBlockBytes = 64;

const EVP_MD* algorithm() {
  static EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return fetched;
}

EVP_MD_CTX* context() {
  struct Free {
    void operator()(EVP_MD_CTX* c) const { EVP_MD_CTX_free(c); }
  };
  thread_local const std::unique_ptr<EVP_MD_CTX, Free> instance(EVP_MD_CTX_new());
  return instance.get();
}

Sha256Digest digest_of(std::string_view first, std::string_view second) {
  Sha256Digest digest;
  EVP_MD_CTX* c = context();
  CHECK(EVP_DigestInit_ex2(c, algorithm(), nullptr) == 1);
  EVP_DigestUpdate(c, first.data(), first.size());
  EVP_DigestUpdate(c, second.data(), second.size());
  CHECK(EVP_DigestFinal_ex(c, digest.data(), nullptr) == 1);
  return digest;
}

std::string_view text_of(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

Sha256Digest sha256(std::string_view bytes) { return digest_of(bytes, {}); }

Sha256Digest hmac_sha256(std::string_view key, std::string_view bytes) {
  Sha256Digest short_key;
  if (key.size() > kBlockBytes) {
    short_key = sha256(key);
    key = text_of(short_key);
  }
  char inner[kBlockBytes];
  char outer[kBlockBytes];
  std::memset(inner, 0x36, kBlockBytes);
  std::memset(outer, 0x5c, kBlockBytes);
  for (size_t i = 0; i < key.size(); ++i) {
    inner[i] = static_cast<char>(inner[i] ^ key[i]);
    outer[i] = static_cast<char>(outer[i] ^ key[i]);
  }
  const Sha256Digest inside = digest_of({inner, kBlockBytes}, bytes);
  return digest_of({outer, kBlockBytes}, text_of(inside));
}

void append_hex(std::string& out, const Sha256Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (const unsigned char byte : digest) {
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
}

}  // namespace trestle
