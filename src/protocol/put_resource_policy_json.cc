#include "protocol/put_resource_policy_json.h"

#include "protocol/constraints.h"
#include "protocol/json_output.h"
#include "protocol/policy_members.h"

namespace trestle {

Result<PutResourcePolicyRequest> read_put_resource_policy_json(JsonInput input) {
  std::optional<std::string_view> arn;
  std::optional<std::string_view> policy;
  std::optional<std::string_view> expected;
  bool confirmed = false;
  for (const JsonMember member : input) {
    if (member.name == "ResourceArn") {
      TRY_INTO(arn, json_string(member.value));
    } else if (member.name == "Policy") {
      TRY_INTO(policy, json_string(member.value));
    } else if (member.name == "ExpectedRevisionId") {
      TRY_INTO(expected, json_string(member.value));
    } else if (member.name == "ConfirmRemoveSelfResourceAccess") {
      TRY_INTO(confirmed, json_boolean(member.value));
    }
  }
  Constraints constraints;
  constrain_resource_arn(arn, constraints);
  constraints.not_null(policy.has_value(), "policy");
  constrain_revision(expected, constraints);
  TRY(constraints.check());

  PutResourcePolicyRequest request{.resource_arn = std::string(*arn),
                                   .policy = {},
                                   .expected_revision_id = std::nullopt,
                                   .confirm_remove_self_resource_access = confirmed};
  if (expected) request.expected_revision_id = *expected;
  TRY_INTO(request.policy, read_resource_policy(*policy, *arn));
  return request;
}

void write_put_resource_policy_json(const PutResourcePolicyResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.member("RevisionId", response.revision_id);
  json.end_object();
}

}  // namespace trestle
