#include "model/callers/complete_batches.h"

#include <algorithm>

#include "model/limits.h"

namespace trestle {
namespace {

std::vector<Item>& parts_of(BatchGetTable& table) { return table.keys; }
std::vector<BatchWrite>& parts_of(BatchWriteTable& table) { return table.writes; }
BatchGetTable same_table(const BatchGetTable& table) {
  return {.table_name = table.table_name,
          .keys = {},
          .projection = table.projection,
          .names = table.names,
          .consistent_read = table.consistent_read};
}
BatchWriteTable same_table(const BatchWriteTable& table) { return {.table_name = table.table_name, .writes = {}}; }

template <class Table>
size_t count_parts(std::vector<Table>& tables) {
  size_t count = 0;
  for (Table& table : tables) count += parts_of(table).size();
  return count;
}

// Moves up to `max` parts from the last tables into a new request.
template <class Table>
std::vector<Table> take_some(std::vector<Table>& tables, size_t max) {
  std::vector<Table> batch;
  while (max > 0 && !tables.empty()) {
    auto& parts = parts_of(tables.back());
    const size_t count = std::min(max, parts.size());
    if (count > 0) {
      auto& batch_parts = parts_of(batch.emplace_back(same_table(tables.back())));
      batch_parts.assign(std::make_move_iterator(parts.end() - static_cast<std::ptrdiff_t>(count)),
                         std::make_move_iterator(parts.end()));
      parts.resize(parts.size() - count);
      max -= count;
    }
    if (parts.empty()) tables.pop_back();
  }
  return batch;
}

// Adds unprocessed parts to those still to be sent, because a request must not name a table twice.
template <class Table>
void put_back(std::vector<Table>&& unprocessed, std::vector<Table>& tables) {
  for (Table& table : unprocessed) {
    const auto same = std::ranges::find(tables, table.table_name, &Table::table_name);
    if (same == tables.end()) {
      tables.push_back(std::move(table));
      continue;
    }
    auto& parts = parts_of(*same);
    for (auto& part : parts_of(table)) parts.push_back(std::move(part));
  }
}

template <class T>
T& entry_of(std::vector<std::pair<std::string, T>>& entries, const std::string& name) {
  for (auto& [key, value] : entries) {
    if (key == name) return value;
  }
  return entries.emplace_back(name, T{}).second;
}

void add_capacity(const std::vector<ConsumedCapacity>& more, std::vector<ConsumedCapacity>& sums) {
  for (const ConsumedCapacity& consumed : more) {
    const auto sum = std::ranges::find(sums, consumed.table_name, &ConsumedCapacity::table_name);
    if (sum == sums.end()) {
      sums.push_back(consumed);
      continue;
    }
    sum->total += consumed.total;
    sum->table += consumed.table;
    for (const auto& [name, units] : consumed.local_indexes) entry_of(sum->local_indexes, name) += units;
    for (const auto& [name, units] : consumed.global_indexes) entry_of(sum->global_indexes, name) += units;
  }
}

void add_answer(const BatchGetItemResponse& reply, BatchGetItemResponse& whole) {
  for (const auto& [table, items] : reply.responses) {
    ItemList& all = entry_of(whole.responses, table);
    for (size_t i = 0; i < items.size(); ++i) all.add(items[i]);
  }
}

void add_answer(const BatchWriteItemResponse& reply, BatchWriteItemResponse& whole) {
  for (const auto& [table, metrics] : reply.item_collection_metrics) {
    auto& all = entry_of(whole.item_collection_metrics, table);
    all.insert(all.end(), metrics.begin(), metrics.end());
  }
}

template <class Response, class Request, class CallOnce>
Result<Response> complete(Request request, size_t parts_max, const BatchPacing& pacing, CallOnce call_once) {
  Response whole;
  auto left = std::move(request.tables);
  unsigned stalls = 0;
  while (!left.empty()) {
    request.tables = take_some(left, parts_max);
    if (request.tables.empty()) break;
    TRY_INTO(Response reply, call_once(request));
    add_answer(reply, whole);
    add_capacity(reply.consumed_capacity, whole.consumed_capacity);
    if (reply.unprocessed.empty()) {
      stalls = 0;
      continue;
    }
    stalls = count_parts(reply.unprocessed) < count_parts(request.tables) ? 0 : stalls + 1;
    if (stalls > pacing.stalls_max) {
      return failure(ErrorCode::kProvisionedThroughputExceeded,
                     "The level of configured provisioned throughput for one or more tables of the batch was exceeded, "
                     "and the rest of it was not processed.");
    }
    put_back(std::move(reply.unprocessed), left);
    if (stalls > 0) sleep_for_ms(pacing.sleeper, pacing.backoff.delay_ms(stalls));
  }
  return whole;
}

}  // namespace

Result<BatchGetItemResponse> batch_get_all(Database& database, BatchGetItemRequest request, const BatchPacing& pacing) {
  return complete<BatchGetItemResponse>(
      std::move(request), kBatchGetKeysMax, pacing,
      [&](const BatchGetItemRequest& piece) { return database.batch_get_item(piece); });
}

Result<BatchWriteItemResponse> batch_write_all(Database& database, BatchWriteItemRequest request,
                                               const BatchPacing& pacing) {
  return complete<BatchWriteItemResponse>(
      std::move(request), kBatchWriteRequestsMax, pacing,
      [&](const BatchWriteItemRequest& piece) { return database.batch_write_item(piece); });
}

}  // namespace trestle
