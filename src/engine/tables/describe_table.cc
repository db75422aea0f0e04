#include "engine/engine.h"

namespace trestle {

Result<DescribeTableResponse> Engine::describe_table(const DescribeTableRequest& request, Call&) {
  TRY_INTO(const auto table, find_any_table(request.table_name));
  return DescribeTableResponse{described(*table)};
}

}  // namespace trestle
