#include "runtime/values/key_ring.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <memory>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/check.h"
#include "base/read_file.h"
#include "runtime/values/ulid.h"

namespace trestle::runtime {
namespace {

constexpr size_t kKeyBytes = 32;
constexpr size_t kNonceBytes = 12;
constexpr size_t kTagBytes = 16;
constexpr char kFormat = 1;
constexpr size_t kIdMax = 64;
constexpr size_t kFileBytesMax = 1 << 20;

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

const EVP_CIPHER* cipher() {
  static EVP_CIPHER* const fetched = EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr);
  return fetched;
}

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

bool is_id(std::string_view id) {
  if (id.empty() || id.size() > kIdMax) return false;
  for (const char c : id) {
    const bool allowed =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!allowed) return false;
  }
  return true;
}

}  // namespace

BasicResult<KeyRing, std::string> KeyRing::parse(std::string_view text) {
  KeyRing ring;
  size_t line_number = 0;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find_first_of(",\n", at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    ++line_number;
    if (line.empty() || line.front() == '#') continue;
    const size_t space = line.find_first_of(" \t");
    const std::string_view id = line.substr(0, space);
    auto key = space == std::string_view::npos ? std::nullopt : base64_bytes(trimmed(line.substr(space)));
    // The message does not contain the line, which may contain a key.
    if (!is_id(id) || !key || key->size() != kKeyBytes) {
      return std::unexpected(fmt::format("Line {} of the key ring is not `<id> <base64 of 32 bytes>`.", line_number));
    }
    for (const Key& other : ring.keys_) {
      if (other.id == id) return std::unexpected(fmt::format("Line {} of the key ring repeats an id.", line_number));
    }
    ring.keys_.push_back({.id = std::string(id), .bytes = std::move(*key)});
  }
  if (ring.keys_.empty()) return std::unexpected(std::string("The key ring has no key."));
  return ring;
}

BasicResult<KeyRing, std::string> KeyRing::load(const std::string& path) {
  const auto text = read_file(path, kFileBytesMax);
  if (!text) return std::unexpected(fmt::format("The key ring {}.", text.error()));
  return parse(*text);
}

std::string KeyRing::make_text() {
  // The id reveals nothing about the key.
  return fmt::format("k{} {}\n", make_token(6), base64_text(random_bytes(kKeyBytes)));
}

std::string KeyRing::seal(std::string_view plain, std::string_view context) const {
  const Key& key = keys_.front();
  const std::string nonce = random_bytes(kNonceBytes);
  std::string out;
  out.reserve(2 + key.id.size() + kNonceBytes + plain.size() + kTagBytes);
  out.push_back(kFormat);
  out.push_back(static_cast<char>(key.id.size()));
  out += key.id;
  out += nonce;
  const size_t start = out.size();
  out.resize(start + plain.size() + kTagBytes);
  auto* to = reinterpret_cast<unsigned char*>(out.data() + start);

  const Context cipher_context(EVP_CIPHER_CTX_new());
  int length = 0;
  CHECK(EVP_EncryptInit_ex2(cipher_context.get(), cipher(), bytes_of(key.bytes), bytes_of(nonce), nullptr) == 1);
  CHECK(EVP_EncryptUpdate(cipher_context.get(), nullptr, &length, bytes_of(context),
                          static_cast<int>(context.size())) == 1);
  CHECK(EVP_EncryptUpdate(cipher_context.get(), to, &length, bytes_of(plain), static_cast<int>(plain.size())) == 1);
  CHECK(EVP_EncryptFinal_ex(cipher_context.get(), to + plain.size(), &length) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(cipher_context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, to + plain.size()) == 1);
  return out;
}

BasicResult<std::string, std::string> KeyRing::open(std::string_view sealed, std::string_view context) const {
  const auto damaged = [] {
    return std::unexpected(std::string("A sealed value was altered or belongs to another item."));
  };
  if (sealed.size() < 2 || sealed[0] != kFormat) return damaged();
  const auto id_length = static_cast<unsigned char>(sealed[1]);
  sealed.remove_prefix(2);
  if (sealed.size() < id_length + kNonceBytes + kTagBytes) return damaged();
  const std::string_view id = sealed.substr(0, id_length);
  const std::string_view nonce = sealed.substr(id_length, kNonceBytes);
  const std::string_view body = sealed.substr(id_length + kNonceBytes);
  const std::string_view text = body.substr(0, body.size() - kTagBytes);
  std::string tag(body.substr(body.size() - kTagBytes));
  const Key* key = nullptr;
  for (const Key& candidate : keys_) {
    if (candidate.id == id) key = &candidate;
  }
  if (key == nullptr) return std::unexpected(std::string("The key of a sealed value is not in the ring."));

  std::string out(text.size(), '\0');
  const Context cipher_context(EVP_CIPHER_CTX_new());
  int length = 0;
  CHECK(EVP_DecryptInit_ex2(cipher_context.get(), cipher(), bytes_of(key->bytes), bytes_of(nonce), nullptr) == 1);
  CHECK(EVP_DecryptUpdate(cipher_context.get(), nullptr, &length, bytes_of(context),
                          static_cast<int>(context.size())) == 1);
  CHECK(EVP_DecryptUpdate(cipher_context.get(), reinterpret_cast<unsigned char*>(out.data()), &length, bytes_of(text),
                          static_cast<int>(text.size())) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(cipher_context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1);
  unsigned char rest[16];
  if (EVP_DecryptFinal_ex(cipher_context.get(), rest, &length) != 1) return damaged();
  return out;
}

}  // namespace trestle::runtime
