// UpdateTimeToLive and DescribeTimeToLive.
#include "engine/expiry/expiry_fill.h"
#include "engine/expiry/expiry_index.h"
#include "engine/expiry/expiry_operations.h"
#include "engine/expiry/time_to_live_setting.h"
#include "engine/tables/find_table.h"

namespace trestle {
namespace {

Result<std::shared_ptr<const TableVersion>> change_time_to_live_setting(EngineParts& parts,
                                                                        const UpdateTimeToLiveRequest& request) {
  MutexLock setting(parts.time_to_live_mutex);
  TRY_INTO(const auto table, find_described_table(parts, request.table_name));
  TRY_INTO(const auto changed,
           parts.catalog->change(table->description.name, [&](TableDescription next) -> Result<TableDescription> {
             TRY_INTO(next.ttl_attribute, change_time_to_live(next, request));
             if (next.ttl_attribute) TRY(reset_expiry(parts, next.keyspace, true));
             return next;
           }));
  if (!request.enabled) TRY(reset_expiry(parts, table->description.keyspace, false));
  return changed;
}

}  // namespace

// The setting takes effect before the response; only the fill of a large index continues in the background. A range
// tombstone empties the index when time to live is disabled, and also, in case of an earlier crash, when it is enabled.
Result<UpdateTimeToLiveResponse> update_time_to_live(EngineParts& parts, const UpdateTimeToLiveRequest& request,
                                                     Call&) {
  const auto changed = change_time_to_live_setting(parts, request);
  // Even if the outcome is unknown: if the setting was stored, so was the record that the index must be filled.
  if (const auto now = parts.catalog->find(table_name_of(request.table_name).value_or(request.table_name))) {
    start_expiry_fill(parts, *now);
  }
  TRY(changed);
  return UpdateTimeToLiveResponse{.attribute_name = request.attribute_name, .enabled = request.enabled};
}

Result<DescribeTimeToLiveResponse> describe_time_to_live(TableParts& parts, const DescribeTimeToLiveRequest& request,
                                                         Call&) {
  TRY_INTO(const auto table, find_described_table(parts, request.table_name));
  return DescribeTimeToLiveResponse{.attribute_name = table->description.ttl_attribute,
                                    .enabling = is_filling_expiry(parts, *table)};
}

}  // namespace trestle
