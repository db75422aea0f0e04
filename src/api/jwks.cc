#include "api/jwks.h"

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "base/base64.h"
#include "base/sha256.h"
#include "runtime/values/plain_json.h"

namespace trestle::api {
namespace {

using runtime::Plain;

constexpr size_t kKeysMax = 100;
constexpr size_t kSecretBytesMin = 32;  // RFC 7518, section 3.2
constexpr int kRsaBitsMin = 2048;       // section 3.3
constexpr int kRsaBitsMax = 8192;
constexpr size_t kCoordinateBytes = 32;

template <class T, void (*Free)(T*)>
struct Freed {
  void operator()(T* object) const { Free(object); }
};
template <class T, void (*Free)(T*)>
using Owned = std::unique_ptr<T, Freed<T, Free>>;
using BigNumber = Owned<BIGNUM, BN_free>;

BigNumber big_number(std::string_view bytes) {
  return BigNumber(
      BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()), nullptr));
}

std::string text_member(const Plain& key, std::string_view name) {
  const Plain& member = key.member(name);
  return member.is(Plain::Kind::kText) ? member.string() : std::string();
}

std::string bytes_member(const Plain& key, std::string_view name) {
  return base64url_bytes(text_member(key, name)).value_or("");
}

std::shared_ptr<const EVP_PKEY> public_key(const char* type, OSSL_PARAM_BLD* build) {
  const Owned<OSSL_PARAM, OSSL_PARAM_free> parameters(OSSL_PARAM_BLD_to_param(build));
  const Owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free> context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* result = nullptr;
  if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &result, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1) {
    ERR_clear_error();
    return nullptr;
  }
  return {result, EVP_PKEY_free};
}

std::shared_ptr<const EVP_PKEY> rsa_key(const Plain& key) {
  const BigNumber modulus = big_number(bytes_member(key, "n"));
  const BigNumber exponent = big_number(bytes_member(key, "e"));
  const Owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free> build(OSSL_PARAM_BLD_new());
  const int bits = BN_num_bits(modulus.get());
  if (bits < kRsaBitsMin || bits > kRsaBitsMax || BN_num_bits(exponent.get()) > 64 || !BN_is_odd(exponent.get()) ||
      BN_is_one(exponent.get()))
    return nullptr;
  OSSL_PARAM_BLD_push_BN(build.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get());
  OSSL_PARAM_BLD_push_BN(build.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get());
  return public_key("RSA", build.get());
}

std::shared_ptr<const EVP_PKEY> ec_key(const Plain& key) {
  const std::string x = bytes_member(key, "x");
  const std::string y = bytes_member(key, "y");
  if (x.size() != kCoordinateBytes || y.size() != kCoordinateBytes) return nullptr;
  const std::string point = "\x04" + x + y;
  const Owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free> build(OSSL_PARAM_BLD_new());
  OSSL_PARAM_BLD_push_utf8_string(build.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0);
  OSSL_PARAM_BLD_push_octet_string(build.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
  return public_key("EC", build.get());  // fails unless the point is on the curve
}

// Whether the key may verify signatures of that algorithm, by its declared use.
bool is_for(const Plain& key, std::string_view algorithm) {
  const std::string use = text_member(key, "use");
  const std::string says = text_member(key, "alg");
  return (use.empty() || use == "sig") && (says.empty() || says == algorithm);
}

// Returns false if the key has another use.
BasicResult<bool, std::string> read_key(const Plain& key, Jwk& result) {
  const std::string type = text_member(key, "kty");
  result.id = text_member(key, "kid");
  if (type == "oct" && is_for(key, "HS256")) {
    result.algorithm = JwtAlgorithm::kHs256;
    result.secret = bytes_member(key, "k");
    if (result.secret.size() < kSecretBytesMin)
      return std::unexpected(fmt::format("\"k\" must be base64url of at least {} bytes", kSecretBytesMin));
    return true;
  }
  if (type == "RSA" && is_for(key, "RS256")) {
    result.algorithm = JwtAlgorithm::kRs256;
    result.public_key = rsa_key(key);
    if (!result.public_key)
      return std::unexpected(
          fmt::format("\"n\" and \"e\" must be an RSA key of {} to {} bits", kRsaBitsMin, kRsaBitsMax));
    return true;
  }
  if (type == "EC" && text_member(key, "crv") == "P-256" && is_for(key, "ES256")) {
    result.algorithm = JwtAlgorithm::kEs256;
    result.public_key = ec_key(key);
    if (!result.public_key) return std::unexpected(std::string("\"x\" and \"y\" must be a point of P-256"));
    return true;
  }
  return false;
}

// Converts r and s, concatenated, to the DER form that OpenSSL expects.
std::string der_signature(std::string_view raw) {
  const Owned<ECDSA_SIG, ECDSA_SIG_free> pair(ECDSA_SIG_new());
  ECDSA_SIG_set0(pair.get(), big_number(raw.substr(0, kCoordinateBytes)).release(),
                 big_number(raw.substr(kCoordinateBytes)).release());
  unsigned char* bytes = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &bytes);
  std::string out(reinterpret_cast<char*>(bytes), size > 0 ? static_cast<size_t>(size) : 0);
  OPENSSL_free(bytes);
  return out;
}

bool public_signature_holds(const EVP_PKEY* key, std::string_view text, std::string_view signature) {
  const Owned<EVP_MD_CTX, EVP_MD_CTX_free> context(EVP_MD_CTX_new());
  const bool holds =
      EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, const_cast<EVP_PKEY*>(key)) == 1 &&
      EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                       reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
  if (!holds) ERR_clear_error();
  return holds;
}

}  // namespace

std::optional<JwtAlgorithm> jwt_algorithm(std::string_view name) {
  if (name == "HS256") return JwtAlgorithm::kHs256;
  if (name == "RS256") return JwtAlgorithm::kRs256;
  if (name == "ES256") return JwtAlgorithm::kEs256;
  return std::nullopt;
}

bool signature_holds(const Jwk& key, std::string_view signed_text, std::string_view signature) {
  switch (key.algorithm) {
    case JwtAlgorithm::kHs256: {
      const Sha256Digest mac = hmac_sha256(key.secret, signed_text);
      return signature.size() == mac.size() && CRYPTO_memcmp(mac.data(), signature.data(), mac.size()) == 0;
    }
    case JwtAlgorithm::kRs256:
      return public_signature_holds(key.public_key.get(), signed_text, signature);
    case JwtAlgorithm::kEs256:
      return signature.size() == 2 * kCoordinateBytes &&
             public_signature_holds(key.public_key.get(), signed_text, der_signature(signature));
  }
  return false;
}

BasicResult<Jwks, std::string> Jwks::parse(std::string_view text) {
  const auto json = runtime::parse_plain_json(text);
  if (!json.has_value()) return std::unexpected(fmt::format("not JSON: {}", json.error()));
  const Plain& keys = json->member("keys");
  if (!keys.is(Plain::Kind::kList)) return std::unexpected(std::string("a JWKS must have a list \"keys\""));
  if (keys.elements().size() > kKeysMax) return std::unexpected(fmt::format("more than {} keys", kKeysMax));
  Jwks result;
  for (size_t i = 0; i < keys.elements().size(); ++i) {
    Jwk key;
    const auto usable = read_key(keys.elements()[i], key);
    if (!usable.has_value()) return std::unexpected(fmt::format("key {}: {}", i + 1, usable.error()));
    if (*usable) result.keys_.push_back(std::move(key));
  }
  if (result.keys_.empty()) return std::unexpected(std::string("no key for HS256, RS256 or ES256"));
  return result;
}

}  // namespace trestle::api
