// Counting items anew after a crash, when the counts saved at the last clean close are stale. The counts begin at what
// changes from now on; the background adds what a snapshot of this moment holds.
#include "engine/engine.h"

namespace trestle {

void Engine::recount() {
  const auto snapshot = store_->snapshot();
  for (const auto& table : catalog_->tables()) {
    ++recounts_left_;
    background_.add([this, table, snapshot] {
      const auto count = [&](uint32_t keyspace, KeyspaceCounts& counts) {
        auto cursor =
            store_->cursor(Space::kItems, {.range = keyspace_range(keyspace), .fill_cache = false}, snapshot);
        int64_t items = 0;
        int64_t bytes = 0;
        for (; cursor->valid() && !background_.stopping(); cursor->next()) {
          ++items;
          bytes += static_cast<int64_t>(ItemView(cursor->value()).size_bytes());
        }
        counts.add(items, bytes);
      };
      count(table->description.keyspace, *table->counts);
      for (size_t i = 0; i < table->index_counts.size(); ++i) {
        count(table->description.indexes[i].keyspace, *table->index_counts[i]);
      }
      if (!background_.stopping()) --recounts_left_;
    });
  }
}

}  // namespace trestle
