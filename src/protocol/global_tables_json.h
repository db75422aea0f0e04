// CreateGlobalTable, UpdateGlobalTable, DescribeGlobalTable, ListGlobalTables, UpdateGlobalTableSettings and
// DescribeGlobalTableSettings as JSON.
#pragma once

#include <string>

#include "model/global_table_requests.h"
#include "protocol/json_input.h"

namespace trestle {

Result<CreateGlobalTableRequest> read_create_global_table_json(JsonInput input);
void write_create_global_table_json(const CreateGlobalTableResponse& response, std::string& out);

Result<UpdateGlobalTableRequest> read_update_global_table_json(JsonInput input);
void write_update_global_table_json(const UpdateGlobalTableResponse& response, std::string& out);

Result<DescribeGlobalTableRequest> read_describe_global_table_json(JsonInput input);
void write_describe_global_table_json(const DescribeGlobalTableResponse& response, std::string& out);

Result<ListGlobalTablesRequest> read_list_global_tables_json(JsonInput input);
void write_list_global_tables_json(const ListGlobalTablesResponse& response, std::string& out);

Result<UpdateGlobalTableSettingsRequest> read_update_global_table_settings_json(JsonInput input);
void write_update_global_table_settings_json(const UpdateGlobalTableSettingsResponse& response, std::string& out);

Result<DescribeGlobalTableSettingsRequest> read_describe_global_table_settings_json(JsonInput input);
void write_describe_global_table_settings_json(const DescribeGlobalTableSettingsResponse& response, std::string& out);

}  // namespace trestle
