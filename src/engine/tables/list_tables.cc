#include <algorithm>

#include "engine/tables/table_operations.h"
#include "model/limits.h"

namespace trestle {

Result<ListTablesResponse> list_tables(TableParts& parts, const ListTablesRequest& request, Call&) {
  TRY(parts.catalog->check_certain());
  std::vector<std::string> names = parts.catalog->names();
  for (std::string& name : parts.transient.deleting_names()) {
    names.insert(std::lower_bound(names.begin(), names.end(), name), std::move(name));
  }
  if (request.exclusive_start_table_name) {
    names.erase(names.begin(), std::upper_bound(names.begin(), names.end(), *request.exclusive_start_table_name));
  }
  ListTablesResponse response;
  const auto limit = static_cast<size_t>(request.limit.value_or(kTablesPerPage));
  if (names.size() > limit) {
    names.resize(limit);
    response.last_evaluated_table_name = names.back();
  }
  response.table_names = std::move(names);
  return response;
}

}  // namespace trestle
