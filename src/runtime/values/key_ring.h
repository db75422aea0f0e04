// The keys that encrypt fields (AES-256-GCM). The newest key encrypts; all keys decrypt.
//
// A ring consists of lines `<id> <base64 of 32 bytes>`, newest first, from a file or from the environment variable
// TRESTLE_KEYS (lines separated by commas or line breaks). Keys never appear in a log or an error message. Sealed
// bytes: 01, length of id, id, 12 bytes of nonce, ciphertext, 16 bytes of tag. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace trestle::runtime {

class KeyRing {
 public:
  static BasicResult<KeyRing, std::string> parse(std::string_view text);
  static BasicResult<KeyRing, std::string> load(const std::string& path);
  // A ring with one new key, as text for a file (mode 0600).
  static std::string make_text();

  // `context` is authenticated with the text, so bytes sealed for one item cannot be opened for another.
  std::string seal(std::string_view plain, std::string_view context) const;
  // Fails if the key is not in the ring, the context differs, or a byte was altered.
  BasicResult<std::string, std::string> open(std::string_view sealed, std::string_view context) const;

 private:
  struct Key {
    std::string id;
    std::string bytes;
  };
  std::vector<Key> keys_;
};

}  // namespace trestle::runtime
