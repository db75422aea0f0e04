
#include "engine/tables/find_table.h"
#include "engine/tables/table_operations.h"
#include "engine/tables/table_state.h"

namespace trestle {

Result<DescribeTableResponse> describe_table(TableParts& parts, const DescribeTableRequest& request, Call&) {
  if (auto deleting = parts.transient.find_deleting(bare_table_name(request.table_name))) {
    return DescribeTableResponse{std::move(*deleting)};
  }
  TRY_INTO(const auto table, find_any_table(parts, request.table_name));
  DescribeTableResponse response{table_description(parts, *table)};
  parts.transient.show(response.table);
  return response;
}

}  // namespace trestle
