// ImportTable as JSON.
#pragma once

#include <string>

#include "model/load_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<ImportTableRequest> read_import_table_json(JsonInput input);
void write_import_table_json(const ImportTableResponse& response, std::string& out);

}  // namespace trestle
