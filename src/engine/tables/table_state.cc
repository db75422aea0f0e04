#include "engine/tables/table_state.h"

#include <algorithm>

#include "engine/tables/account_limits.h"

namespace trestle {

TableContext table_context(const TableParts& parts) {
  return {.region = parts.options.region,
          .account = parts.options.account,
          .now_ms = parts.options.clock->now_ms(),
          .table_id = {}};
}

TableDescription table_description(const TableParts& parts, const TableVersion& table) {
  const auto count_of = [](const std::atomic<int64_t>& count) { return std::max<int64_t>(0, count.load()); };
  TableDescription description = table.description;
  // Decreases on earlier UTC days do not count.
  const int64_t now_ms = parts.options.clock->now_ms();
  const auto reset_if_earlier_day = [now_ms](auto& of) {
    if (!is_same_day(of.throughput_decreased_ms, now_ms)) of.throughput_decreases_today = 0;
  };
  reset_if_earlier_day(description);
  for (auto& index : description.indexes) reset_if_earlier_day(index);
  description.item_count = count_of(table.counts->items);
  description.size_bytes = count_of(table.counts->bytes);
  for (size_t i = 0; i < description.indexes.size(); ++i) {
    description.indexes[i].item_count = count_of(table.index_counts[i]->items);
    description.indexes[i].size_bytes = count_of(table.index_counts[i]->bytes);
  }
  for (size_t i = 0; i < description.vector_indexes.size(); ++i) {
    description.vector_indexes[i].item_count = count_of(table.vector_counts[i]->items);
    description.vector_indexes[i].size_bytes = count_of(table.vector_counts[i]->bytes);
  }
  return description;
}

void distinguish_stream(const TableParts& parts, TableDescription& table, std::string_view label_before) {
  if (!table.stream || table.stream_label == label_before) return;
  int64_t ms = parts.options.clock->now_ms();
  while (parts.catalog->streams().find(table.arn + "/stream/" + table.stream_label))
    start_stream(table, *table.stream, ++ms);
}

Throughput reserved_by_account(const TableParts& parts) {
  Throughput sum;
  for (const auto& table : parts.catalog->tables()) {
    const Throughput units = reserved_units(table->description);
    sum.read_units += units.read_units;
    sum.write_units += units.write_units;
  }
  return sum;
}

}  // namespace trestle
