#include "engine/engine.h"

namespace trestle {

Result<DeleteTableResponse> Engine::delete_table(const DeleteTableRequest& request, Call&) {
  TRY_INTO(const auto table, find_described_table(request.table_name));
  TRY(check_deletable(table->description));
  DeleteTableResponse response{described(*table)};
  response.table.status = Status::kDeleting;
  TRY(catalog_->remove(table->description.name));
  background_.add([this] { free_dropped_keyspaces(); });
  return response;
}

void Engine::free_dropped_keyspaces() {
  for (uint32_t keyspace : catalog_->dropped()) {
    if (background_.stopping()) return;
    // What fails stays on the list, and is tried again at the next start.
    if (!store_->drop_range(Space::kItems, keyspace_range(keyspace)).has_value()) continue;
    if (!reset_expiry(keyspace, false).has_value()) continue;
    throughput_.forget(keyspace);
    (void)catalog_->forget_dropped(keyspace);
  }
}

}  // namespace trestle
