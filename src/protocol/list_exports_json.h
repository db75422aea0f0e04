// ListExports as JSON.
#pragma once

#include <string>

#include "model/export_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<ListExportsRequest> read_list_exports_json(JsonInput input);
void write_list_exports_json(const ListExportsResponse& response, std::string& out);

}  // namespace trestle
