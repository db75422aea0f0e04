// Parts of table descriptions that several responses share.
#pragma once

#include "model/table_requests.h"
#include "protocol/client/client_input.h"
#include "protocol/json/json_input.h"

namespace trestle {

// Local or global indexes. Backups describe them in less detail.
Result<void> take_indexes(JsonElement json, bool global, std::vector<IndexDescription>& out);
inline auto into_indexes(std::string_view name, bool global, std::vector<IndexDescription>& out) {
  return into(name, [&out, global](JsonElement json) { return take_indexes(json, global, out); });
}

// ProvisionedThroughput and OnDemandThroughput of a table, an index or a backup.
inline auto into_units(Throughput& throughput) {
  return into("ProvisionedThroughput", [&throughput](JsonElement json) {
    return take_members(json, into("ReadCapacityUnits", throughput.read_units),
                        into("WriteCapacityUnits", throughput.write_units));
  });
}
inline auto into_on_demand(ThroughputLimits& limits) {
  return into("OnDemandThroughput", [&limits](JsonElement json) {
    return take_members(json, into("MaxReadRequestUnits", limits.read_units),
                        into("MaxWriteRequestUnits", limits.write_units));
  });
}

}  // namespace trestle
