// UpdateTimeToLive and DescribeTimeToLive.
#include "engine/engine.h"
#include "engine/time_to_live_setting.h"

namespace trestle {

Result<UpdateTimeToLiveResponse> Engine::update_time_to_live(const UpdateTimeToLiveRequest& request, Call&) {
  TRY_INTO(const auto table, find_described_table(request.table_name));
  TRY(catalog_->change(table->description.name, [&](TableDescription changed) -> Result<TableDescription> {
    TRY_INTO(changed.ttl_attribute, change_time_to_live(changed, request));
    return changed;
  }));
  return UpdateTimeToLiveResponse{.attribute_name = request.attribute_name, .enabled = request.enabled};
}

Result<DescribeTimeToLiveResponse> Engine::describe_time_to_live(const DescribeTimeToLiveRequest& request, Call&) {
  TRY_INTO(const auto table, find_described_table(request.table_name));
  return DescribeTimeToLiveResponse{.attribute_name = table->description.ttl_attribute};
}

}  // namespace trestle
