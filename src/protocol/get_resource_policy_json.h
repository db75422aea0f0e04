// GetResourcePolicy as JSON: see model/policy_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/policy_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<GetResourcePolicyRequest> read_get_resource_policy_json(JsonInput input);
void write_get_resource_policy_json(const GetResourcePolicyResponse& response, std::string& out);

}  // namespace trestle
