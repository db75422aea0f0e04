// Resource policies: PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy. A table and a stream have at most one
// policy each, identified by its ARN; a table's policy also covers its indexes.
#pragma once

#include <optional>
#include <string>

namespace trestle {

struct PutResourcePolicyRequest {
  std::string resource_arn;
  std::string policy;                               // in canonical form (policy/policy_text.h) if it came from a client
  std::optional<std::string> expected_revision_id;  // "NO_POLICY": there must be no policy
  bool confirm_remove_self_resource_access = false;
};
struct PutResourcePolicyResponse {
  std::string revision_id;
};

struct GetResourcePolicyRequest {
  std::string resource_arn;
};
struct GetResourcePolicyResponse {
  std::string policy;
  std::string revision_id;
};

struct DeleteResourcePolicyRequest {
  std::string resource_arn;
  std::optional<std::string> expected_revision_id;
};
struct DeleteResourcePolicyResponse {
  std::optional<std::string> revision_id;  // of the removed policy; absent: there was none
};

}  // namespace trestle
