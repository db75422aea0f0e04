// Who may do what: the identity policies of users, from a file of JSON.
//
//   {"policies": {"read": {"Version": "2012-10-17", "Statement": [...]}},
//    "groups":   {"staff": ["read"]},
//    "users":    {"alice": {"groups": ["staff"], "policies": ["read", {"Version": ..., "Statement": ...}]},
//                 "AKIDBOB": {"name": "bob", "user_id": "AIDABOB", "policies": [...]}}}
//
// A user is named by the profile of his credentials, or by his access key id; a key's own entry comes first. Policies
// are named, or written where they stand. Reading is strict: whatever is not understood is refused, and so is a file
// that names a policy or group it does not have. Constant once made, so threads may share it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/evaluate.h"

namespace trestle {

struct IdentityUser {
  std::string name;     // empty: as he is named in the file
  std::string user_id;  // empty: his access key id
  PolicyList policies;  // his own and those of his groups
};

class IdentityPolicies {
 public:
  // The error says where.
  static BasicResult<IdentityPolicies, std::string> parse(std::string_view text);

  // Null: the file has nothing about him, and so he may do nothing.
  const IdentityUser* find(std::string_view access_key_id, std::string_view profile) const;
  size_t size() const { return users_.size(); }

 private:
  std::map<std::string, IdentityUser, std::less<>> users_;
};

}  // namespace trestle
