#include <algorithm>

#include "engine/items/admission.h"
#include "engine/items/capacity.h"
#include "engine/items/item_key.h"
#include "engine/items/read_projection.h"
#include "engine/tables/find_table.h"
#include "engine/transactions/cancellation.h"
#include "engine/transactions/transaction_operations.h"
#include "model/limits.h"

namespace trestle {
namespace {

struct TransactRead {
  std::optional<ProjectionPaths> projection;
  std::shared_ptr<const TableVersion> table;
  std::string key;  // encoded
};

Result<std::vector<TransactRead>> compile_reads(const TransactGetItemsRequest& request) {
  std::vector<TransactRead> reads(request.gets.size());
  for (size_t i = 0; i < reads.size(); ++i) {
    const TransactGet& get = request.gets[i];
    if (get.fault) return invalid(*get.fault);
    if (!get.projection.expression) continue;  // names without an expression are not validated
    TRY_INTO(reads[i].projection, compile_read_projection(get.projection, get.names));
  }
  return reads;
}

// As in a write transaction, an empty key value rejects the request; any other error in a key cancels it.
Result<void> check_keys(const TransactGetItemsRequest& request, std::vector<TransactRead>& reads) {
  for (size_t i = 0; i < reads.size(); ++i) {
    TRY(check_no_empty_key(reads[i].table->description, request.gets[i].key));
  }
  Cancellation cancellation(reads.size());
  for (size_t i = 0; i < reads.size(); ++i) {
    const TableDescription& table = reads[i].table->description;
    auto checked = check_key(table, request.gets[i].key);
    if (checked.has_value() && reads[i].projection) {
      checked = check_nested_paths(table, reads[i].projection->nested_attributes());
    }
    if (!checked.has_value()) {
      cancellation.set_invalid(i, checked.error());
      continue;
    }
    reads[i].key = encode_table_key(table.keyspace, table.key, request.gets[i].key);
  }
  if (cancellation.any()) return cancellation.error();
  std::vector<std::string_view> keys;
  for (const TransactRead& read : reads) keys.push_back(read.key);
  if (!has_duplicates(std::move(keys))) return {};
  return invalid(kSameItemTwice);
}

// The consumed capacity by table, in the order of first mention.
std::vector<ConsumedCapacity> consumed(const TransactGetItemsRequest& request, const std::vector<TransactRead>& reads,
                                       const std::vector<size_t>& item_bytes) {
  std::vector<ConsumedCapacity> consumed;
  if (request.return_consumed_capacity == ReturnConsumedCapacity::kNone) return consumed;
  std::vector<std::pair<const TableVersion*, CapacityMeter>> meters;
  for (size_t i = 0; i < reads.size(); ++i) {
    const TableVersion* table = reads[i].table.get();
    auto meter = std::find_if(meters.begin(), meters.end(), [&](const auto& known) { return known.first == table; });
    if (meter == meters.end()) {
      meters.emplace_back(table, CapacityMeter(table->description.name, request.return_consumed_capacity,
                                               CapacityKind::kTransactionRead));
      meter = meters.end() - 1;
    }
    meter->second.add_table(read_units(item_bytes[i], true));
  }
  for (const auto& [table, meter] : meters) consumed.push_back(*meter.consumed());
  return consumed;
}

}  // namespace

// All items are read from one snapshot, and every write is one batch, so the read is serializable. The registry is
// checked only because DynamoDB does not read items that a transaction in progress writes.
Result<TransactGetItemsResponse> transact_get_items(ItemParts& parts, const TransactGetItemsRequest& request,
                                                    Call& call) {
  TRY_INTO(std::vector<TransactRead> reads, compile_reads(request));
  for (size_t i = 0; i < reads.size(); ++i) {
    TRY_INTO(reads[i].table, find_table(parts, request.gets[i].table_name));
  }
  TRY(check_keys(request, reads));
  std::vector<std::string_view> names;
  for (const TransactRead& read : reads) names.push_back(read.table->description.name);
  note_table(parts, names, call);

  Cancellation cancellation(reads.size());
  for (size_t i = 0; i < reads.size(); ++i) {
    const uint64_t held = parts.transactions->conflicting_commit(reads[i].key, TransactionRegistry::Use::kRead);
    if (parts.transactions->is_claimed(reads[i].key, TransactionRegistry::Use::kRead)) {
      cancellation.set_conflict(i);
    } else if (held != 0) {
      call.commit = std::max(call.commit, held);
      cancellation.set_conflict(i);
    } else if (const auto admitted = admit(parts, reads[i].table->description, UnitKind::kRead, request.gets[i].key);
               !admitted.has_value()) {
      cancellation.set_throttled(i, admitted.error());
    }
  }
  if (cancellation.any()) return cancellation.error();

  TransactGetItemsResponse response;
  std::vector<size_t> item_bytes(reads.size());
  size_t total_bytes = 0;
  PinnedBytes bytes;
  const auto snapshot = parts.store->snapshot();
  for (size_t i = 0; i < reads.size(); ++i) {
    TRY_INTO(const bool found, parts.store->get(Space::kItems, reads[i].key, bytes, *snapshot));
    call.commit = std::max(call.commit, parts.store->commit_seen(reads[i].key));
    auto& item = response.items.emplace_back();
    if (!found) continue;
    const ItemView whole(bytes.view());
    item_bytes[i] = whole.size_bytes();
    total_bytes += item_bytes[i];
    if (total_bytes > kTransactionBytesMax) return invalid("Transaction item size has exceeded the 4 MB limit");
    item = reads[i].projection ? reads[i].projection->apply(whole) : Item(whole);
    if (item->attributes().size() == 0) item.reset();
  }
  for (size_t i = 0; i < reads.size(); ++i) {
    const double units = 2 * read_units(item_bytes[i], true);
    parts.throughput.charge(reads[i].table->description, nullptr, UnitKind::kRead, units);
    count_consumed(*reads[i].table, nullptr, UnitKind::kRead, units);
  }
  response.consumed_capacity = consumed(request, reads, item_bytes);
  return response;
}

}  // namespace trestle
