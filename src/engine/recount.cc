// Counting items anew after a crash, when the counts saved at the last clean close are stale. The counts begin at what
// changes from now on; the background adds what a snapshot of this moment holds.
#include "engine/engine.h"
#include "engine/vector_entry.h"

namespace trestle {

void Engine::recount() {
  const auto snapshot = store_->snapshot();
  for (const auto& table : catalog_->tables()) {
    ++recounts_left_;
    background_.add([this, table, snapshot] {
      const auto count = [&](uint32_t keyspace, KeyspaceCounts& counts, auto bytes_of) {
        auto cursor =
            store_->cursor(Space::kItems, {.range = keyspace_range(keyspace), .fill_cache = false}, snapshot);
        int64_t items = 0;
        int64_t bytes = 0;
        for (; cursor->valid() && !background_.stopping(); cursor->next()) {
          ++items;
          bytes += static_cast<int64_t>(bytes_of(cursor->value()));
        }
        counts.add(items, bytes);
      };
      const TableDescription& description = table->description;
      count(description.keyspace, *table->counts,
            [&](std::string_view value) { return billed_bytes(description, ItemView(value)); });
      for (size_t i = 0; i < table->index_counts.size(); ++i) {
        count(description.indexes[i].keyspace, *table->index_counts[i],
              [](std::string_view value) { return ItemView(value).size_bytes(); });
      }
      for (size_t i = 0; i < table->vector_counts.size(); ++i) {
        const VectorIndexDescription& index = description.vector_indexes[i];
        count(index.keyspace, *table->vector_counts[i],
              [&](std::string_view value) { return entry_size_bytes(index, value); });
      }
      if (!background_.stopping()) --recounts_left_;
    });
  }
}

}  // namespace trestle
