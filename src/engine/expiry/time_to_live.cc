// UpdateTimeToLive and DescribeTimeToLive.
#include "engine/engine.h"
#include "engine/expiry/expiry_index.h"
#include "engine/expiry/time_to_live_setting.h"

namespace trestle {

// The setting takes effect with the response; only filling the index of a large table continues in the background. The
// index is emptied by a range tombstone when the setting ends and, in case of an earlier crash, when it begins.
Result<UpdateTimeToLiveResponse> Engine::update_time_to_live(const UpdateTimeToLiveRequest& request, Call&) {
  const auto changed = change_time_to_live_setting(request);
  // Also where the outcome is unknown: the setting may be there, and then so is the note that the index is to be
  // filled.
  if (const auto now = catalog_->find(table_name_of(request.table_name).value_or(request.table_name))) {
    start_expiry_fill(*now);
  }
  TRY(changed);
  return UpdateTimeToLiveResponse{.attribute_name = request.attribute_name, .enabled = request.enabled};
}

Result<std::shared_ptr<const TableVersion>> Engine::change_time_to_live_setting(
    const UpdateTimeToLiveRequest& request) {
  MutexLock setting(time_to_live_mutex_);
  TRY_INTO(const auto table, find_described_table(request.table_name));
  TRY_INTO(const auto changed,
           catalog_->change(table->description.name, [&](TableDescription next) -> Result<TableDescription> {
             TRY_INTO(next.ttl_attribute, change_time_to_live(next, request));
             if (next.ttl_attribute) TRY(reset_expiry(next.keyspace, true));
             return next;
           }));
  if (!request.enabled) TRY(reset_expiry(table->description.keyspace, false));
  return changed;
}

// Empties a table's expiry index. `to_fill`: and notes that it is to be filled.
Result<void> Engine::reset_expiry(uint32_t keyspace, bool to_fill) {
  Batch batch(*store_);
  batch.erase_range(Space::kExpiry, expiry_range(keyspace));
  if (to_fill) batch.put(Space::kExpiry, expiry_filling_key(keyspace), {});
  TRY_INTO(const uint64_t commit, store_->commit(batch));
  return store_->wait_durable(commit);
}

Result<DescribeTimeToLiveResponse> Engine::describe_time_to_live(const DescribeTimeToLiveRequest& request, Call&) {
  TRY_INTO(const auto table, find_described_table(request.table_name));
  return DescribeTimeToLiveResponse{.attribute_name = table->description.ttl_attribute,
                                    .enabling = is_filling_expiry(*table)};
}

}  // namespace trestle
