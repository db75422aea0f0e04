#include <algorithm>
#include <deque>

#include "engine/items/admission.h"
#include "engine/items/capacity.h"
#include "engine/items/item_key.h"
#include "engine/items/item_operations.h"
#include "engine/items/read_projection.h"
#include "engine/tables/find_table.h"
#include "model/limits.h"

namespace trestle {
namespace {

struct TableRead {
  std::shared_ptr<const TableVersion> table;
  std::optional<ProjectionPaths> projection;
  std::vector<std::string> keys;   // encoded, in the order of the request
  std::deque<PinnedBytes> values;  // of the first keys, as many as fit into the response
  std::vector<ItemView> items;     // views of `values`; empty: no such item
};

// Does all reads before the call's first effect: see storage/cached_reads.h.
Result<void> read_items(ItemParts& parts, std::vector<TableRead>& reads) {
  size_t bytes = 0;
  for (TableRead& read : reads) {
    for (const std::string& key : read.keys) {
      if (bytes >= kBatchReplyBytesMax) return {};
      TRY_INTO(const bool found, parts.store->get(Space::kItems, key, read.values.emplace_back()));
      read.items.push_back(found ? ItemView(read.values.back().view()) : ItemView());
      bytes += read.items.back().size_bytes();
    }
  }
  return {};
}

}  // namespace

Result<BatchGetItemResponse> batch_get_item(ItemParts& parts, const BatchGetItemRequest& request, Call& call) {
  if (request.tables.size() == 1) call.table_name = request.tables.front().table_name;
  std::vector<TableRead> reads;
  for (const BatchGetTable& requested : request.tables) {
    TRY_INTO(auto projection, compile_read_projection(requested.projection, requested.names));
    TableRead& read = reads.emplace_back();
    read.projection = std::move(projection);
  }
  for (size_t i = 0; i < reads.size(); ++i) {
    TRY_INTO(reads[i].table, find_table(parts, request.tables[i].table_name));
    const TableDescription& description = reads[i].table->description;
    if (reads[i].projection) TRY(check_nested_paths(description, reads[i].projection->nested_attributes()));
    for (const Item& key : request.tables[i].keys) {
      TRY(check_key(description, key));
      reads[i].keys.push_back(encode_table_key(description.keyspace, description.key, key));
    }
    TRY(check_batch_keys({reads[i].keys.begin(), reads[i].keys.end()}));
  }
  TRY(read_items(parts, reads));

  BatchGetItemResponse response;
  size_t reply_bytes = 0;
  size_t read_keys = 0;
  std::optional<Error> throttled;
  for (size_t i = 0; i < reads.size(); ++i) {
    const BatchGetTable& requested = request.tables[i];
    CapacityMeter meter(reads[i].table->description.name, request.return_consumed_capacity);
    meter.charge_to(parts.throughput, *reads[i].table, UnitKind::kRead);
    ItemList items;
    std::vector<Item> unprocessed;
    for (size_t k = 0; k < requested.keys.size(); ++k) {
      if (reply_bytes >= kBatchReplyBytesMax || k >= reads[i].items.size()) {
        unprocessed.push_back(requested.keys[k]);
        continue;
      }
      if (auto admitted = admit(parts, reads[i].table->description, UnitKind::kRead, requested.keys[k]);
          !admitted.has_value()) {
        throttled = std::move(admitted).error();
        unprocessed.push_back(requested.keys[k]);
        continue;
      }
      ++read_keys;
      const ItemView item = reads[i].items[k];
      if (reply_bytes + item.size_bytes() > kBatchReplyBytesMax) {
        reply_bytes = kBatchReplyBytesMax;
        unprocessed.push_back(requested.keys[k]);
        continue;
      }
      call.commit = std::max(call.commit, parts.store->commit_seen(reads[i].keys[k]));
      reply_bytes += item.size_bytes();
      meter.add_table(read_units(item.size_bytes(), requested.consistent_read));
      if (item.empty()) continue;
      if (reads[i].projection) {
        items.add(reads[i].projection->apply(item));
      } else {
        items.add(item);
      }
    }
    response.responses.emplace_back(requested.table_name, std::move(items));
    if (!unprocessed.empty()) {
      response.unprocessed.push_back(requested);
      response.unprocessed.back().keys = std::move(unprocessed);
    }
    if (auto consumed = meter.consumed()) response.consumed_capacity.push_back(std::move(*consumed));
  }
  // Keys of tables without capacity are returned as unprocessed. If no table had capacity, the call is throttled.
  if (throttled && read_keys == 0) return std::unexpected(std::move(*throttled));
  return response;
}

}  // namespace trestle
