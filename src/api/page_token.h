// Page tokens: the continuation tokens of lists, opaque to callers.
//
//   token := base64url(01, 32 bytes of HMAC-SHA-256, position)
//
// The HMAC covers the call that the page belongs to: design, version, operation, caller and all other inputs. A token
// that was altered, or belongs to another list, is rejected. The first key signs, and all keys verify. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"

namespace trestle::api {

// The call that a page token is valid for.
struct PageBinding {
  std::string_view design;
  int64_t version = 1;
  std::string_view operation;
  std::string_view caller;  // sub; empty: not signed in
  std::string inputs;       // canonical JSON of the inputs except limit and next
};

class PageTokens {
 public:
  // `secrets` must not be empty. Each secret may have any length but must be unguessable.
  explicit PageTokens(const std::vector<std::string>& secrets);

  std::string seal(std::string_view position, const PageBinding& binding) const;
  std::optional<std::string> open(std::string_view token, const PageBinding& binding) const;

 private:
  std::vector<Sha256Digest> keys_;
};

}  // namespace trestle::api
