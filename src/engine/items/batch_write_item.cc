#include <algorithm>
#include <deque>

#include "engine/items/admission.h"
#include "engine/items/item_changes.h"
#include "engine/items/item_key.h"
#include "engine/items/item_operations.h"
#include "engine/items/write_condition.h"
#include "engine/tables/find_table.h"
#include "model/limits.h"
#include "storage/cached_reads.h"

namespace trestle {
namespace {

struct TableWrite {
  const TableVersion& table;
  std::vector<std::string> keys;  // encoded, in the order of the request
};

// Opens each table once, although a request may refer to a table both by its name and by its ARN.
class OpenTables {
 public:
  Result<const TableVersion*> open(const TableParts& parts, std::string_view name_or_arn) {
    const std::string_view name = bare_table_name(name_or_arn);
    const auto known = std::ranges::find(tables_, name, [](const auto& table) { return table->description.name; });
    if (known != tables_.end()) return &**known;
    TRY_INTO(WritableTable table, open_table(parts, name_or_arn));
    return &*tables_.emplace_back(std::move(table));
  }

 private:
  std::vector<WritableTable> tables_;
};

Result<void> check_write(const TableDescription& table, const BatchWrite& write) {
  if (write.is_delete) return check_key(table, write.item);
  TRY(check_batch_item(table, write.item));
  if (write.item.size_bytes() > kItemBytesMax) return invalid(kItemTooLarge);
  return {};
}

// Reads the current items, by table and write. Does all reads before the call's first effect: see
// storage/cached_reads.h.
Result<std::vector<std::vector<ItemView>>> read_items(ItemParts& parts, const std::vector<TableWrite>& writes,
                                                      std::deque<PinnedBytes>& bytes) {
  std::vector<std::vector<ItemView>> items(writes.size());
  for (size_t i = 0; i < writes.size(); ++i) {
    for (const std::string& key : writes[i].keys) {
      TRY_INTO(const bool found, parts.store->get(Space::kItems, key, bytes.emplace_back()));
      items[i].push_back(found ? ItemView(bytes.back().view()) : ItemView());
    }
  }
  return items;
}

}  // namespace

// For speed, all writes of a call are committed in one batch, although DynamoDB only guarantees that each is atomic.
Result<BatchWriteItemResponse> batch_write_item(ItemParts& parts, const BatchWriteItemRequest& request, Call& call) {
  if (request.tables.size() == 1) call.table_name = request.tables.front().table_name;
  OpenTables tables;
  std::vector<TableWrite> writes;
  std::vector<std::string> all_keys;
  for (const BatchWriteTable& requested : request.tables) {
    TRY_INTO(const TableVersion* const table, tables.open(parts, requested.table_name));
    std::vector<std::string> keys;
    for (const BatchWrite& write : requested.writes) {
      TRY(check_write(table->description, write));
      keys.push_back(encode_table_key(table->description.keyspace, table->description.key, write.item));
    }
    all_keys.insert(all_keys.end(), keys.begin(), keys.end());
    writes.push_back({*table, std::move(keys)});
  }
  std::ranges::sort(all_keys);
  TRY(check_batch_keys({all_keys.begin(), all_keys.end()}));

  // Items claimed by a running transaction are returned as unprocessed, instead of waiting for their locks.
  std::vector<std::string> claimed_keys;  // sorted, as all_keys is
  std::erase_if(all_keys, [&](const std::string& key) {
    const bool claimed = parts.transactions->is_claimed(key, TransactionRegistry::Use::kWrite);
    if (claimed) claimed_keys.push_back(key);
    return claimed;
  });
  const auto locks = parts.locks.lock_all(all_keys);
  if (CachedReads::missed()) return failure(ErrorCode::kServiceUnavailable, "another thread repeats the call");
  BatchWriteItemResponse response;
  size_t written = 0;
  std::optional<Error> throttled;
  std::deque<PinnedBytes> old_items;  // must outlive `changes`, which refers to them
  TRY_INTO(const auto items_before, read_items(parts, writes, old_items));
  ItemChanges changes(parts);
  for (size_t i = 0; i < writes.size(); ++i) {
    const TableVersion& table = writes[i].table;
    const BatchWriteTable& requested = request.tables[i];
    CapacityMeter meter(table.description.name, request.return_consumed_capacity);
    meter.charge_to(parts.throughput, table, UnitKind::kWrite);
    std::vector<ItemCollectionMetrics> metrics;
    std::vector<BatchWrite> unprocessed;  // held by a transaction in progress, or without capacity
    for (size_t k = 0; k < requested.writes.size(); ++k) {
      const BatchWrite& write = requested.writes[k];
      if (std::ranges::binary_search(claimed_keys, writes[i].keys[k])) {
        unprocessed.push_back(write);
        continue;
      }
      if (const uint64_t held =
              parts.transactions->conflicting_commit(writes[i].keys[k], TransactionRegistry::Use::kWrite)) {
        call.commit = std::max(call.commit, held);
        unprocessed.push_back(write);
        continue;
      }
      call.commit = std::max(call.commit, parts.store->commit_seen(writes[i].keys[k]));
      const ItemView before = items_before[i][k];
      const ItemView after = write.is_delete ? ItemView() : write.item.view();
      if (auto admitted = admit_write(parts, table.description, write.item, before, after); !admitted.has_value()) {
        throttled = std::move(admitted).error();
        unprocessed.push_back(write);
        continue;
      }
      ++written;
      changes.add(table, writes[i].keys[k], before, after, meter);
      if (auto collection = collection_metrics(request.return_item_collection_metrics, table.description, write.item)) {
        const auto same = [&](const ItemCollectionMetrics& m) {
          return m.collection_key == collection->collection_key;
        };
        if (std::none_of(metrics.begin(), metrics.end(), same)) metrics.push_back(std::move(*collection));
      }
    }
    if (!unprocessed.empty())
      response.unprocessed.push_back({.table_name = requested.table_name, .writes = std::move(unprocessed)});
    if (!metrics.empty()) response.item_collection_metrics.emplace_back(requested.table_name, std::move(metrics));
    if (auto consumed = meter.consumed()) response.consumed_capacity.push_back(std::move(*consumed));
  }
  // Writes to tables without capacity are returned as unprocessed. If no table had capacity, the call is throttled.
  if (throttled && written == 0) return std::unexpected(std::move(*throttled));
  TRY(changes.commit(call));
  return response;
}

}  // namespace trestle
