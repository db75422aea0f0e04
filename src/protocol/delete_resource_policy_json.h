// DeleteResourcePolicy as JSON: see model/policy_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/policy_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<DeleteResourcePolicyRequest> read_delete_resource_policy_json(JsonInput input);
void write_delete_resource_policy_json(const DeleteResourcePolicyResponse& response, std::string& out);

}  // namespace trestle
