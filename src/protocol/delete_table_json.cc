#include "protocol/delete_table_json.h"

#include "protocol/table_description_json.h"
#include "protocol/table_members.h"

namespace trestle {

Result<DeleteTableRequest> read_delete_table_json(JsonInput input) {
  TRY_INTO(const auto table_name, read_table_name(input));
  return DeleteTableRequest{.table_name = std::string(table_name)};
}

void write_delete_table_json(const DeleteTableResponse& response, std::string& out) {
  write_table_response("TableDescription", response.table, out);
}

}  // namespace trestle
