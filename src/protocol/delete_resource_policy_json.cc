#include "protocol/delete_resource_policy_json.h"

#include "protocol/constraints.h"
#include "protocol/json_output.h"
#include "protocol/policy_members.h"

namespace trestle {

Result<DeleteResourcePolicyRequest> read_delete_resource_policy_json(JsonInput input) {
  std::optional<std::string_view> arn;
  std::optional<std::string_view> expected;
  for (const JsonMember member : input) {
    if (member.name == "ResourceArn") {
      TRY_INTO(arn, json_string(member.value));
    } else if (member.name == "ExpectedRevisionId") {
      TRY_INTO(expected, json_string(member.value));
    }
  }
  Constraints constraints;
  constrain_resource_arn(arn, constraints);
  constrain_revision(expected, constraints);
  TRY(constraints.check());
  DeleteResourcePolicyRequest request{.resource_arn = std::string(*arn), .expected_revision_id = std::nullopt};
  if (expected) request.expected_revision_id = *expected;
  return request;
}

void write_delete_resource_policy_json(const DeleteResourcePolicyResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  if (response.revision_id) json.member("RevisionId", *response.revision_id);
  json.end_object();
}

}  // namespace trestle
