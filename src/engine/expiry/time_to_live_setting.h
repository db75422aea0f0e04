// UpdateTimeToLive as a change of a table's description. Pure.
#pragma once

#include <optional>
#include <string>

#include "model/error.h"
#include "model/table_requests.h"

namespace trestle {

// Returns the table's time to live attribute after the request, or nothing if it is disabled.
Result<std::optional<std::string>> change_time_to_live(const TableDescription& table,
                                                       const UpdateTimeToLiveRequest& request);

}  // namespace trestle
