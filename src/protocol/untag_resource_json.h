// UntagResource as JSON: see model/table_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/table_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<UntagResourceRequest> read_untag_resource_json(JsonInput input);
void write_untag_resource_json(const UntagResourceResponse& response, std::string& out);

}  // namespace trestle
