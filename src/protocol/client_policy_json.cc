// The operations on resource policies in the client's direction.
#include "protocol/client_input.h"
#include "protocol/client_json.h"
#include "protocol/client_output.h"

namespace trestle {

void write_request_json(const PutResourcePolicyRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "ResourceArn", request.resource_arn);
  put(json, "Policy", request.policy);
  put(json, "ExpectedRevisionId", request.expected_revision_id);
  put_flag(json, "ConfirmRemoveSelfResourceAccess", request.confirm_remove_self_resource_access);
  json.end_object();
}

void write_request_json(const GetResourcePolicyRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "ResourceArn", request.resource_arn);
  json.end_object();
}

void write_request_json(const DeleteResourcePolicyRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "ResourceArn", request.resource_arn);
  put(json, "ExpectedRevisionId", request.expected_revision_id);
  json.end_object();
}

Result<void> read_response_json(JsonInput input, PutResourcePolicyResponse& response) {
  return take_members(input, into("RevisionId", response.revision_id));
}

Result<void> read_response_json(JsonInput input, GetResourcePolicyResponse& response) {
  return take_members(input, into("Policy", response.policy), into("RevisionId", response.revision_id));
}

Result<void> read_response_json(JsonInput input, DeleteResourcePolicyResponse& response) {
  return take_members(input, into("RevisionId", response.revision_id));
}

}  // namespace trestle
