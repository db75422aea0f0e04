// The identity policies of users, from a JSON file.
//
//   {"policies": {"read": {"Version": "2012-10-17", "Statement": [...]}},
//    "groups":   {"staff": ["read"]},
//    "users":    {"alice": {"groups": ["staff"], "policies": ["read", {"Version": ..., "Statement": ...}]},
//                 "AKIDBOB": {"name": "bob", "user_id": "AIDABOB", "policies": [...]}}}
//
// A user is identified by access key id or by the profile of the credentials; an entry for the key takes precedence. A
// policy is a name or an inline document. Parsing is strict: unknown members and references to undefined policies or
// groups are rejected. Immutable, hence thread-safe.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/evaluate.h"

namespace trestle {

struct IdentityUser {
  std::string name;     // empty: the name in the file
  std::string user_id;  // empty: the access key id
  PolicyList policies;  // the user's own and those of the groups
};

class IdentityPolicies {
 public:
  // The error contains the position.
  static BasicResult<IdentityPolicies, std::string> parse(std::string_view text);

  // Null if the file does not mention the user. Such a user has no permissions.
  const IdentityUser* find(std::string_view access_key_id, std::string_view profile) const;
  size_t size() const { return users_.size(); }

 private:
  std::map<std::string, IdentityUser, std::less<>> users_;
};

}  // namespace trestle
