#include "engine/expiry/time_to_live_setting.h"

#include <fmt/format.h>

namespace trestle {

Result<std::optional<std::string>> change_time_to_live(const TableDescription& table,
                                                       const UpdateTimeToLiveRequest& request) {
  const auto& current = table.ttl_attribute;
  if (!current && !request.enabled) return invalid("TimeToLive is already disabled");
  if (current && *current != request.attribute_name) {
    return invalid(
        fmt::format("TimeToLive is active on a different AttributeName: current AttributeName is {}", *current));
  }
  if (current && request.enabled) return invalid("TimeToLive is already enabled");
  return request.enabled ? std::optional(request.attribute_name) : std::nullopt;
}

}  // namespace trestle
