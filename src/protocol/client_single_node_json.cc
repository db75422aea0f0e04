// Contributor insights, global tables, Kinesis destinations and replicas' auto scaling in the client's direction.
#include "protocol/client_input.h"
#include "protocol/client_json.h"
#include "protocol/client_output.h"
#include "protocol/contributor_insights_json.h"
#include "protocol/kinesis_destinations_json.h"
#include "protocol/table_enumerations.h"

namespace trestle {
namespace {

template <class Request>
void write_table_name(const Request& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableName", request.table_name);
  json.end_object();
}

template <class Request>
void write_global_table_name(const Request& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "GlobalTableName", request.global_table_name);
  json.end_object();
}

void write_regions(JsonOutput& json, const std::vector<std::string>& regions) {
  put_list(json, "ReplicationGroup", regions,
           [](JsonOutput& element, const std::string& region) { put(element, "RegionName", region); });
}

void write_kinesis_request(const KinesisDestinationRequest& request, std::string_view configuration, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableName", request.table_name);
  put(json, "StreamArn", request.stream_arn);
  if (request.precision) {
    json.key(configuration).begin_object();
    put_choice(json, "ApproximateCreationDateTimePrecision", request.precision, kCreationTimePrecisions);
    json.end_object();
  }
  json.end_object();
}

Result<void> read_kinesis_response(JsonInput input, std::string_view configuration,
                                   KinesisDestinationResponse& response) {
  const auto take_precision = [&](JsonElement json) {
    return take_members(json,
                        into("ApproximateCreationDateTimePrecision", response.precision, kCreationTimePrecisions));
  };
  return take_members(input, into("TableName", response.table_name), into("StreamArn", response.stream_arn),
                      into("DestinationStatus", response.status, kKinesisDestinationStatuses),
                      into(configuration, take_precision));
}

// `input`: the members, or the object that has them.
template <class Json, class... More>
Result<void> take_summary(Json input, ContributorInsightsSummary& summary, More... more) {
  return take_members(input, into("TableName", summary.table_name), into("IndexName", summary.index_name),
                      into("ContributorInsightsStatus", summary.status, kInsightsStatuses),
                      into("ContributorInsightsMode", summary.mode, kInsightsModes), more...);
}

}  // namespace

Result<void> take(JsonElement json, ContributorInsightsSummary& summary) { return take_summary(json, summary); }

Result<void> take(JsonElement json, GlobalTableReplica& replica) {
  return take_members(json, into("RegionName", replica.region), into("ReplicaStatus", replica.status));
}

Result<void> take(JsonElement json, ReplicaAutoScaling& replica) {
  return take_members(json, into("RegionName", replica.region), into("ReplicaStatus", replica.status));
}

Result<void> take(JsonElement json, ListGlobalTablesResponse::Entry& table) {
  const auto take_regions = [&](JsonElement group) -> Result<void> {
    TRY_INTO(const JsonArray array, json_list(group));
    for (const JsonElement element : array) {
      TRY(take_members(element, into("RegionName", table.regions.emplace_back())));
    }
    return {};
  };
  return take_members(json, into("GlobalTableName", table.name), into("ReplicationGroup", take_regions));
}

Result<void> take(JsonElement json, DescribeKinesisStreamingDestinationResponse::Destination& destination) {
  return take_members(json, into("StreamArn", destination.stream_arn),
                      into("DestinationStatus", destination.status, kKinesisDestinationStatuses),
                      into("DestinationStatusDescription", destination.status_description),
                      into("ApproximateCreationDateTimePrecision", destination.precision, kCreationTimePrecisions));
}

// ---- Contributor insights.

void write_request_json(const UpdateContributorInsightsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableName", request.table_name);
  put(json, "IndexName", request.index_name);
  put_choice(json, "ContributorInsightsAction", request.enable, kInsightsActions);
  put_choice(json, "ContributorInsightsMode", request.mode, kInsightsModes);
  json.end_object();
}

void write_request_json(const DescribeContributorInsightsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableName", request.table_name);
  put(json, "IndexName", request.index_name);
  json.end_object();
}

void write_request_json(const ListContributorInsightsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableName", request.table_name);
  put(json, "NextToken", request.next_token);
  put(json, "MaxResults", request.max_results);
  json.end_object();
}

Result<void> read_response_json(JsonInput input, UpdateContributorInsightsResponse& response) {
  return take_summary(input, response);
}

Result<void> read_response_json(JsonInput input, DescribeContributorInsightsResponse& response) {
  const auto take_updated = [&](JsonElement json) { return take_timestamp_ms(json, response.updated_ms.emplace()); };
  return take_summary(input, response.summary, into("ContributorInsightsRuleList", response.rules),
                      into("LastUpdateDateTime", take_updated));
}

Result<void> read_response_json(JsonInput input, ListContributorInsightsResponse& response) {
  return take_members(input, into("ContributorInsightsSummaries", response.summaries),
                      into("NextToken", response.next_token));
}

// ---- Global tables.

void write_request_json(const CreateGlobalTableRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "GlobalTableName", request.global_table_name);
  write_regions(json, request.regions);
  json.end_object();
}

void write_request_json(const UpdateGlobalTableRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "GlobalTableName", request.global_table_name);
  put_list(json, "ReplicaUpdates", request.replica_updates,
           [](JsonOutput& element, const UpdateGlobalTableRequest::ReplicaUpdate& update) {
             element.key(update.is_create ? "Create" : "Delete").begin_object();
             put(element, "RegionName", update.region);
             element.end_object();
           });
  json.end_object();
}

void write_request_json(const DescribeGlobalTableRequest& request, std::string& out) {
  write_global_table_name(request, out);
}

void write_request_json(const ListGlobalTablesRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "ExclusiveStartGlobalTableName", request.exclusive_start_global_table_name);
  put(json, "Limit", request.limit);
  put(json, "RegionName", request.region);
  json.end_object();
}

void write_request_json(const DescribeGlobalTableSettingsRequest& request, std::string& out) {
  write_global_table_name(request, out);
}

void write_request_json(const UpdateGlobalTableSettingsRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "GlobalTableName", request.global_table_name);
  put_choice(json, "GlobalTableBillingMode", request.billing_mode, kBillingModes);
  put(json, "GlobalTableProvisionedWriteCapacityUnits", request.write_units);
  json.end_object();
}

Result<void> read_response_json(JsonInput input, GlobalTableResponse& response) {
  GlobalTableDescription& table = response.global_table;
  const auto take_created = [&](JsonElement json) { return take_timestamp_ms(json, table.created_ms); };
  return take_members(input, into("GlobalTableDescription", [&](JsonElement json) {
                        return take_members(json, into("ReplicationGroup", table.replicas),
                                            into("GlobalTableArn", table.arn), into("CreationDateTime", take_created),
                                            into("GlobalTableStatus", table.status),
                                            into("GlobalTableName", table.name));
                      }));
}

Result<void> read_response_json(JsonInput input, ListGlobalTablesResponse& response) {
  return take_members(input, into("GlobalTables", response.global_tables),
                      into("LastEvaluatedGlobalTableName", response.last_evaluated_global_table_name));
}

Result<void> read_response_json(JsonInput input, GlobalTableSettingsResponse& response) {
  return take_members(input, into("GlobalTableName", response.global_table_name),
                      into("ReplicaSettings", response.replicas));
}

// ---- Kinesis destinations.

void write_request_json(const EnableKinesisStreamingDestinationRequest& request, std::string& out) {
  write_kinesis_request(request, kEnableKinesisConfiguration, out);
}

void write_request_json(const DisableKinesisStreamingDestinationRequest& request, std::string& out) {
  write_kinesis_request(request, kEnableKinesisConfiguration, out);
}

void write_request_json(const UpdateKinesisStreamingDestinationRequest& request, std::string& out) {
  write_kinesis_request(request, kUpdateKinesisConfiguration, out);
}

void write_request_json(const DescribeKinesisStreamingDestinationRequest& request, std::string& out) {
  write_table_name(request, out);
}

Result<void> read_response_json(JsonInput input, KinesisDestinationResponse& response) {
  return read_kinesis_response(input, kEnableKinesisConfiguration, response);
}

Result<void> read_response_json(JsonInput input, UpdateKinesisStreamingDestinationResponse& response) {
  return read_kinesis_response(input, kUpdateKinesisConfiguration, response);
}

Result<void> read_response_json(JsonInput input, DescribeKinesisStreamingDestinationResponse& response) {
  return take_members(input, into("TableName", response.table_name),
                      into("KinesisDataStreamDestinations", response.destinations));
}

// ---- Replicas' auto scaling.

void write_request_json(const DescribeTableReplicaAutoScalingRequest& request, std::string& out) {
  write_table_name(request, out);
}

void write_request_json(const UpdateTableReplicaAutoScalingRequest& request, std::string& out) {
  write_table_name(request, out);
}

Result<void> read_response_json(JsonInput input, TableReplicaAutoScalingResponse& response) {
  return take_members(input, into("TableAutoScalingDescription", [&](JsonElement json) {
                        return take_members(json, into("TableName", response.table_name),
                                            into("TableStatus", response.table_status, kStatuses),
                                            into("Replicas", response.replicas));
                      }));
}

}  // namespace trestle
