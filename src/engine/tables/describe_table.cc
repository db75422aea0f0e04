
#include "engine/tables/find_table.h"
#include "engine/tables/table_operations.h"
#include "engine/tables/table_state.h"

namespace trestle {

Result<DescribeTableResponse> describe_table(TableParts& parts, const DescribeTableRequest& request, Call&) {
  TRY_INTO(const auto table, find_any_table(parts, request.table_name));
  return DescribeTableResponse{described(parts, *table)};
}

}  // namespace trestle
