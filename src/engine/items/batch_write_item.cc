#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

// For speed, all writes of a call are committed in one batch, although DynamoDB only guarantees that each is atomic.
class BatchWriter {
 public:
  BatchWriter(ItemParts& parts, const BatchWriteItemRequest& request, Call& call)
      : parts_(parts), request_(request), call_(call) {}

  Result<BatchWriteItemResponse> run() {
    TRY(prepare());
    skip_claimed_keys();
    const auto locks = parts_.locks.lock_all(keys_);
    if (CachedReads::missed()) return failure(ErrorCode::kServiceUnavailable, "another thread repeats the call");
    std::deque<PinnedBytes> old_items;  // must outlive `changes`, which refers to them
    TRY_INTO(const auto items_before, read_items(parts_, writes_, old_items));
    ItemChanges changes(parts_);
    for (size_t i = 0; i < writes_.size(); ++i) write_table(request_.tables[i], writes_[i], items_before[i], changes);
    // Writes to tables without capacity are returned as unprocessed. If no table had capacity, the call is throttled.
    if (throttled_ && written_ == 0) return std::unexpected(std::move(*throttled_));
    TRY(changes.commit(call_));
    return std::move(response_);
  }

 private:
  // Opens the tables and checks every write.
  Result<void> prepare() {
    for (const BatchWriteTable& requested : request_.tables) {
      TRY_INTO(const TableVersion* const table, tables_.open(parts_, requested.table_name));
      std::vector<std::string> keys;
      for (const BatchWrite& write : requested.writes) {
        TRY(check_write(table->description, write));
        keys.push_back(encode_table_key(table->description.keyspace, table->description.key, write.item));
      }
      keys_.insert(keys_.end(), keys.begin(), keys.end());
      writes_.push_back({*table, std::move(keys)});
    }
    std::ranges::sort(keys_);
    return check_batch_keys({keys_.begin(), keys_.end()});
  }

  // Items claimed by a running transaction are returned as unprocessed, instead of waiting for their locks.
  void skip_claimed_keys() {
    std::erase_if(keys_, [&](const std::string& key) {
      const bool claimed = parts_.transactions->is_claimed(key, TransactionRegistry::Use::kWrite);
      if (claimed) claimed_keys_.push_back(key);
      return claimed;
    });
  }

  // Whether a transaction in progress holds the item.
  bool is_held(const std::string& key) {
    if (std::ranges::binary_search(claimed_keys_, key)) return true;
    const uint64_t held = parts_.transactions->conflicting_commit(key, TransactionRegistry::Use::kWrite);
    call_.commit = std::max(call_.commit, held);
    return held != 0;
  }

  // Adds the writes of a table to the changes. Those that are held, or for which there is no capacity, are unprocessed.
  void write_table(const BatchWriteTable& requested, const TableWrite& writes,
                   const std::vector<ItemView>& items_before, ItemChanges& changes) {
    const TableDescription& table = writes.table.description;
    CapacityMeter meter(table.name, request_.return_consumed_capacity);
    meter.charge_to(parts_.throughput, writes.table, UnitKind::kWrite);
    std::vector<ItemCollectionMetrics> metrics;
    std::vector<BatchWrite> unprocessed;
    for (size_t k = 0; k < requested.writes.size(); ++k) {
      const BatchWrite& write = requested.writes[k];
      const std::string& key = writes.keys[k];
      if (is_held(key)) {
        unprocessed.push_back(write);
        continue;
      }
      call_.commit = std::max(call_.commit, parts_.store->commit_seen(key));
      const ItemView before = items_before[k];
      const ItemView after = write.is_delete ? ItemView() : write.item.view();
      if (auto admitted = admit_write(parts_, table, write.item, before, after); !admitted.has_value()) {
        throttled_ = std::move(admitted).error();
        unprocessed.push_back(write);
        continue;
      }
      ++written_;
      changes.add(writes.table, key, before, after, meter);
      add_collection(collection_metrics(request_.return_item_collection_metrics, table, write.item), metrics);
    }
    if (!unprocessed.empty())
      response_.unprocessed.push_back({.table_name = requested.table_name, .writes = std::move(unprocessed)});
    if (!metrics.empty()) response_.item_collection_metrics.emplace_back(requested.table_name, std::move(metrics));
    if (auto consumed = meter.consumed()) response_.consumed_capacity.push_back(std::move(*consumed));
  }

  // Each collection is reported once.
  static void add_collection(std::optional<ItemCollectionMetrics> collection,
                             std::vector<ItemCollectionMetrics>& metrics) {
    if (!collection) return;
    const auto is_same = [&](const ItemCollectionMetrics& m) { return m.collection_key == collection->collection_key; };
    if (std::ranges::none_of(metrics, is_same)) metrics.push_back(std::move(*collection));
  }

  ItemParts& parts_;
  const BatchWriteItemRequest& request_;
  Call& call_;
  OpenTables tables_;
  std::vector<TableWrite> writes_;
  std::vector<std::string> keys_;          // sorted
  std::vector<std::string> claimed_keys_;  // sorted, as keys_ is
  size_t written_ = 0;
  std::optional<Error> throttled_;
  BatchWriteItemResponse response_;
};

}  // namespace

Result<BatchWriteItemResponse> batch_write_item(ItemParts& parts, const BatchWriteItemRequest& request, Call& call) {
  if (request.tables.size() == 1) call.table_name = request.tables.front().table_name;
  return BatchWriter(parts, request, call).run();
}

}  // namespace trestle
