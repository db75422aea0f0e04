#include "protocol/describe_table_json.h"

#include "protocol/table_description_json.h"
#include "protocol/table_members.h"

namespace trestle {

Result<DescribeTableRequest> read_describe_table_json(JsonInput input) {
  TRY_INTO(const auto table_name, read_table_name(input));
  return DescribeTableRequest{.table_name = std::string(table_name)};
}

void write_describe_table_json(const DescribeTableResponse& response, std::string& out) {
  write_table_response("Table", response.table, out);
}

}  // namespace trestle
