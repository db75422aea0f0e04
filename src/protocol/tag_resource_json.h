// TagResource as JSON: see model/table_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/table_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<TagResourceRequest> read_tag_resource_json(JsonInput input);
void write_tag_resource_json(const TagResourceResponse& response, std::string& out);

}  // namespace trestle
