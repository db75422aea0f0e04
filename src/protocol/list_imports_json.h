// ListImports as JSON.
#pragma once

#include <string>

#include "model/load_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<ListImportsRequest> read_list_imports_json(JsonInput input);
void write_list_imports_json(const ListImportsResponse& response, std::string& out);

}  // namespace trestle
