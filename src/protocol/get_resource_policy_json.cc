#include "protocol/get_resource_policy_json.h"

#include "protocol/constraints.h"
#include "protocol/json_output.h"
#include "protocol/policy_members.h"

namespace trestle {

Result<GetResourcePolicyRequest> read_get_resource_policy_json(JsonInput input) {
  std::optional<std::string_view> arn;
  for (const JsonMember member : input) {
    if (member.name == "ResourceArn") {
      TRY_INTO(arn, json_string(member.value));
    }
  }
  Constraints constraints;
  constrain_resource_arn(arn, constraints);
  TRY(constraints.check());
  return GetResourcePolicyRequest{.resource_arn = std::string(*arn)};
}

void write_get_resource_policy_json(const GetResourcePolicyResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.member("Policy", response.policy);
  json.member("RevisionId", response.revision_id);
  json.end_object();
}

}  // namespace trestle
