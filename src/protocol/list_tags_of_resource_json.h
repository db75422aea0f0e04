// ListTagsOfResource as JSON: see model/table_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/table_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<ListTagsOfResourceRequest> read_list_tags_of_resource_json(JsonInput input);
void write_list_tags_of_resource_json(const ListTagsOfResourceResponse& response, std::string& out);

}  // namespace trestle
