// API keys of services: a name and the SHA-256 of the value of X-Api-Key. The keys themselves are not stored.
//
//   # name    sha256 of the key in hexadecimal        groups, if any
//   shop      9f86d081884c7d659a2feaa0c55ad015...     admin,service
//
// Immutable, hence thread-safe.
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

  // nullptr if unknown. The time it takes does not reveal how close a guess was.
  const ApiKey* find(std::string_view key) const;

 private:
  std::vector<ApiKey> keys_;
};

}  // namespace trestle::api
