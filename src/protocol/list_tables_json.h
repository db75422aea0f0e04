// ListTables as JSON: see model/table_requests.h for what the members mean.
#pragma once

#include <string>

#include "model/table_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<ListTablesRequest> read_list_tables_json(JsonInput input);
void write_list_tables_json(const ListTablesResponse& response, std::string& out);

}  // namespace trestle
