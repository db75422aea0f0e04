#include <algorithm>

#include "engine/engine.h"

namespace trestle {

Result<ListTablesResponse> Engine::list_tables(const ListTablesRequest& request, Call&) {
  TRY(catalog_->check_certain());
  std::vector<std::string> names = catalog_->names();
  if (request.exclusive_start_table_name) {
    names.erase(names.begin(), std::upper_bound(names.begin(), names.end(), *request.exclusive_start_table_name));
  }
  ListTablesResponse response;
  const auto limit = static_cast<size_t>(request.limit.value_or(100));
  if (names.size() > limit) {
    names.resize(limit);
    response.last_evaluated_table_name = names.back();
  }
  response.table_names = std::move(names);
  return response;
}

}  // namespace trestle
