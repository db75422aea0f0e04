// Parts of tables that several answers tell, and that several requests have.
#pragma once

#include "model/table_requests.h"
#include "protocol/client_input.h"
#include "protocol/json_input.h"
#include "protocol/json_output.h"

namespace trestle {

// Without the types of the attributes, which AttributeDefinitions tells.
Result<void> take(JsonElement json, KeySchema& key);
Result<void> take(JsonElement json, Tag& tag);
// As CreateTable, UpdateTable, DeleteTable and DescribeTable answer it.
Result<void> take(JsonElement json, TableDescription& table);

// Local or global indexes; of a backup's, less is told.
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

// What is absent is left out. The members' names differ between a table's making and its restores.
void put_key_schema(JsonOutput& json, const std::vector<KeySchemaElement>& key);
void put_units(JsonOutput& json, std::string_view name, const std::optional<Throughput>& throughput);
void put_on_demand(JsonOutput& json, std::string_view name, const std::optional<ThroughputLimits>& limits);
void put_sse(JsonOutput& json, std::string_view name, const std::optional<SseSpecification>& sse);
// The members of an index to create.
void put_index(JsonOutput& json, const IndexDefinition& index);

// The members of CreateTable, which are those of ImportTable's TableCreationParameters too.
void put_members(JsonOutput& json, const CreateTableRequest& request);

}  // namespace trestle
