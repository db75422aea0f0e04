#include "bucket/md5.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/check.h"

namespace trestle {

struct Md5::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Md5::Md5() : state_(std::make_unique<State>()) { CHECK(EVP_DigestInit_ex(state_->context, EVP_md5(), nullptr) == 1); }
Md5::~Md5() = default;

void Md5::append(std::string_view bytes) { CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1); }

std::string Md5::finish() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  CHECK(EVP_DigestFinal_ex(state_->context, digest, &size) == 1);
  std::string out;
  for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

}  // namespace trestle
