// Page tokens: where a list goes on, as text that callers can only give back.
//
//   token := base64url(01, 32 bytes of HMAC-SHA-256, position)
//
// The HMAC covers what the page belongs to: design, version, operation, caller and all other inputs. A token that was
// altered, or belongs to another list, does not open. Keys: the first signs, every one opens. Threads may share it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"

namespace trestle::api {

// What a page belongs to.
struct PageBinding {
  std::string_view design;
  int64_t version = 1;
  std::string_view operation;
  std::string_view caller;  // sub; empty: nobody signed in
  std::string inputs;       // canonical text of the inputs but limit and next
};

class PageTokens {
 public:
  // `secrets` must not be empty; each may be of any length, but none may be guessed.
  explicit PageTokens(const std::vector<std::string>& secrets);

  std::string seal(std::string_view position, const PageBinding& binding) const;
  std::optional<std::string> open(std::string_view token, const PageBinding& binding) const;

 private:
  std::vector<Sha256Digest> keys_;
};

}  // namespace trestle::api
