// API keys of services: who they are and the SHA-256 of what they send as X-Api-Key. The keys themselves are kept
// nowhere.
//
//   # name    sha256 of the key in hexadecimal        groups, if any
//   shop      9f86d081884c7d659a2feaa0c55ad015...     admin,service
//
// Constant once made, so threads share it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sha256.h"

namespace trestle::api {

struct ApiKey {
  std::string name;
  Sha256Digest digest{};
  std::vector<std::string> groups;
};

class ApiKeys {
 public:
  // The error names the line.
  static BasicResult<ApiKeys, std::string> parse(std::string_view text);

  // nullptr when unknown. How long it takes does not tell how near a guess was.
  const ApiKey* find(std::string_view key) const;

 private:
  std::vector<ApiKey> keys_;
};

}  // namespace trestle::api
