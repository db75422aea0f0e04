#include "protocol/global_tables_json.h"

#include "protocol/auto_scaling_members.h"
#include "protocol/json_output.h"
#include "protocol/table_enumerations.h"
#include "protocol/table_members.h"

namespace trestle {
namespace {

Result<void> require_global_table_name(const std::optional<std::string_view>& name) {
  if (name) return {};
  return invalid("The parameter 'GlobalTableName' is required but was not present in the request");
}

void constrain_name(std::optional<std::string_view> name, const MemberPath& member, Constraints& constraints) {
  constraints.length_at_least(name, member, 3);
  constraints.length_at_most(name, member, 255);
  constraints.name_pattern(name, member);
}

// The whole request of the operations that take a GlobalTableName and nothing else.
template <class Request>
Result<Request> read_name(JsonInput input) {
  std::optional<std::string_view> name;
  for (const JsonMember member : input) {
    if (member.name == "GlobalTableName") {
      TRY_INTO(name, json_string(member.value));
    }
  }
  TRY(require_global_table_name(name));
  Constraints constraints;
  constrain_name(name, "globalTableName", constraints);
  TRY(constraints.check());
  return Request{.global_table_name = std::string(*name)};
}

// RegionName of a structure that has nothing else.
Result<std::optional<std::string_view>> read_region(JsonElement json, std::string_view type, JsonPlace place) {
  TRY_INTO(const JsonInput input, json_structure(json, type, place));
  std::optional<std::string_view> region;
  for (const JsonMember member : input) {
    if (member.name == "RegionName") {
      TRY_INTO(region, json_string(member.value));
    }
  }
  return region;
}

struct GivenReplicaUpdate {
  bool is_create = false;
  bool has_action = false;
  std::optional<std::string_view> region;
};

Result<std::vector<GivenReplicaUpdate>> read_replica_updates(JsonElement json) {
  TRY_INTO(const JsonArray array, json_list(json));
  std::vector<GivenReplicaUpdate> updates;
  for (const JsonElement element : array) {
    if (element.is_null()) continue;
    TRY_INTO(const JsonInput input, json_structure(element, "ReplicaUpdate", JsonPlace::kElement));
    GivenReplicaUpdate& update = updates.emplace_back();
    for (const JsonMember member : input) {
      const bool is_create = member.name == "Create";
      if (!is_create && member.name != "Delete") continue;
      update.is_create = is_create;
      update.has_action = true;
      TRY_INTO(update.region, read_region(member.value, is_create ? "CreateReplicaAction" : "DeleteReplicaAction",
                                          JsonPlace::kMember));
    }
  }
  return updates;
}

void write_description(const GlobalTableDescription& table, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("GlobalTableDescription").begin_object();
  write_replicas("ReplicationGroup", table.replicas, json);
  json.member("GlobalTableArn", table.arn);
  json.key("CreationDateTime").timestamp_ms(table.created_ms);
  json.member("GlobalTableStatus", table.status);
  json.member("GlobalTableName", table.name);
  json.end_object();
  json.end_object();
}

void write_settings(const GlobalTableSettingsResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.member("GlobalTableName", response.global_table_name);
  write_replicas("ReplicaSettings", response.replicas, json);
  json.end_object();
}

constexpr ScalingUpdateShape kIndexSettingsUpdates{.type = "GlobalTableGlobalSecondaryIndexSettingsUpdate",
                                                   .name = "IndexName",
                                                   .units = "ProvisionedWriteCapacityUnits",
                                                   .scaling = "ProvisionedWriteCapacityAutoScalingSettingsUpdate",
                                                   .count_max = 20};
constexpr ScalingUpdateShape kReplicaIndexSettingsUpdates{.type = "ReplicaGlobalSecondaryIndexSettingsUpdate",
                                                          .name = "IndexName",
                                                          .units = "ProvisionedReadCapacityUnits",
                                                          .scaling = "ProvisionedReadCapacityAutoScalingSettingsUpdate",
                                                          .count_max = 20};
constexpr ScalingUpdateShape kReplicaSettingsUpdates{
    .type = "ReplicaSettingsUpdate",
    .name = "RegionName",
    .units = "ReplicaProvisionedReadCapacityUnits",
    .scaling = "ReplicaProvisionedReadCapacityAutoScalingSettingsUpdate",
    .indexes = "ReplicaGlobalSecondaryIndexSettingsUpdate",
    .of_indexes = &kReplicaIndexSettingsUpdates,
    .count_max = 50};

}  // namespace

Result<CreateGlobalTableRequest> read_create_global_table_json(JsonInput input) {
  CreateGlobalTableRequest request;
  std::optional<std::string_view> name;
  bool has_group = false;
  for (const JsonMember member : input) {
    if (member.name == "GlobalTableName") {
      TRY_INTO(name, json_string(member.value));
    } else if (member.name == "ReplicationGroup") {
      has_group = true;
      TRY_INTO(const JsonArray array, json_list(member.value));
      for (const JsonElement element : array) {
        if (element.is_null()) continue;
        TRY_INTO(const auto region, read_region(element, "Replica", JsonPlace::kElement));
        if (region) request.regions.emplace_back(*region);
      }
    }
  }
  TRY(require_global_table_name(name));
  Constraints constraints;
  constrain_name(name, "globalTableName", constraints);
  constraints.not_null(has_group, "replicationGroup");
  TRY(constraints.check());
  request.global_table_name = *name;
  return request;
}

void write_create_global_table_json(const CreateGlobalTableResponse& response, std::string& out) {
  write_description(response.global_table, out);
}

Result<UpdateGlobalTableRequest> read_update_global_table_json(JsonInput input) {
  std::optional<std::string_view> name;
  std::optional<std::vector<GivenReplicaUpdate>> updates;
  for (const JsonMember member : input) {
    if (member.name == "GlobalTableName") {
      TRY_INTO(name, json_string(member.value));
    } else if (member.name == "ReplicaUpdates") {
      TRY_INTO(updates, read_replica_updates(member.value));
    }
  }
  TRY(require_global_table_name(name));
  Constraints constraints;
  constrain_name(name, "globalTableName", constraints);
  const MemberPath list{"replicaUpdates"};
  constraints.not_null(updates.has_value(), list);
  UpdateGlobalTableRequest request;
  for (size_t i = 0; updates && i < updates->size(); ++i) {
    const GivenReplicaUpdate& update = (*updates)[i];
    if (!update.has_action) continue;
    const MemberPath element{&list, "member", i + 1};
    const MemberPath action{&element, update.is_create ? "create" : "delete"};
    constraints.not_null(update.region.has_value(), {&action, "regionName"});
    request.replica_updates.push_back({update.is_create, std::string(update.region.value_or(""))});
  }
  TRY(constraints.check());
  request.global_table_name = *name;
  return request;
}

void write_update_global_table_json(const UpdateGlobalTableResponse& response, std::string& out) {
  write_description(response.global_table, out);
}

Result<DescribeGlobalTableRequest> read_describe_global_table_json(JsonInput input) {
  return read_name<DescribeGlobalTableRequest>(input);
}

void write_describe_global_table_json(const DescribeGlobalTableResponse& response, std::string& out) {
  write_description(response.global_table, out);
}

Result<ListGlobalTablesRequest> read_list_global_tables_json(JsonInput input) {
  ListGlobalTablesRequest request;
  std::optional<std::string_view> start;
  std::optional<std::string_view> region;
  for (const JsonMember member : input) {
    if (member.name == "ExclusiveStartGlobalTableName") {
      TRY_INTO(start, json_string(member.value));
    } else if (member.name == "Limit") {
      TRY_INTO(request.limit, json_integer(member.value, "Integer"));
    } else if (member.name == "RegionName") {
      TRY_INTO(region, json_string(member.value));
    }
  }
  Constraints constraints;
  constrain_name(start, "exclusiveStartGlobalTableName", constraints);
  constraints.value_at_least(request.limit, "limit", 1);
  TRY(constraints.check());
  if (start) request.exclusive_start_global_table_name = *start;
  if (region) request.region = *region;
  return request;
}

void write_list_global_tables_json(const ListGlobalTablesResponse& response, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  json.key("GlobalTables").begin_array();
  for (const ListGlobalTablesResponse::Entry& table : response.global_tables) {
    json.begin_object();
    json.member("GlobalTableName", table.name);
    json.key("ReplicationGroup").begin_array();
    for (const std::string& region : table.regions) {
      json.begin_object();
      json.member("RegionName", region);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  if (response.last_evaluated_global_table_name) {
    json.member("LastEvaluatedGlobalTableName", *response.last_evaluated_global_table_name);
  }
  json.end_object();
}

Result<UpdateGlobalTableSettingsRequest> read_update_global_table_settings_json(JsonInput input) {
  UpdateGlobalTableSettingsRequest request;
  std::optional<std::string_view> name;
  std::optional<std::string_view> billing_mode;
  std::optional<GivenAutoScaling> scaling;
  std::optional<std::vector<GivenScalingUpdate>> indexes;
  std::optional<std::vector<GivenScalingUpdate>> replicas;
  for (const JsonMember member : input) {
    if (member.name == "GlobalTableName") {
      TRY_INTO(name, json_string(member.value));
    } else if (member.name == "GlobalTableBillingMode") {
      TRY_INTO(billing_mode, json_string(member.value));
    } else if (member.name == "GlobalTableProvisionedWriteCapacityUnits") {
      TRY_INTO(request.write_units, json_integer(member.value, "Long"));
    } else if (member.name == "GlobalTableProvisionedWriteCapacityAutoScalingSettingsUpdate") {
      TRY_INTO(scaling, read_auto_scaling(member.value));
    } else if (member.name == "GlobalTableGlobalSecondaryIndexSettingsUpdate") {
      TRY_INTO(indexes, read_scaling_updates(member.value, kIndexSettingsUpdates));
    } else if (member.name == "ReplicaSettingsUpdate") {
      TRY_INTO(replicas, read_scaling_updates(member.value, kReplicaSettingsUpdates));
    }
  }
  TRY(require_global_table_name(name));
  Constraints constraints;
  constrain_name(name, "globalTableName", constraints);
  constraints.one_of(billing_mode, "globalTableBillingMode", kBillingModes, request.billing_mode);
  constraints.value_at_least(request.write_units, "globalTableProvisionedWriteCapacityUnits", 1);
  constrain_auto_scaling(scaling, "globalTableProvisionedWriteCapacityAutoScalingSettingsUpdate", constraints);
  constrain_scaling_updates(indexes, "globalTableGlobalSecondaryIndexSettingsUpdate", kIndexSettingsUpdates,
                            constraints);
  constrain_scaling_updates(replicas, "replicaSettingsUpdate", kReplicaSettingsUpdates, constraints);
  TRY(constraints.check());
  request.global_table_name = *name;
  return request;
}

void write_update_global_table_settings_json(const UpdateGlobalTableSettingsResponse& response, std::string& out) {
  write_settings(response, out);
}

Result<DescribeGlobalTableSettingsRequest> read_describe_global_table_settings_json(JsonInput input) {
  return read_name<DescribeGlobalTableSettingsRequest>(input);
}

void write_describe_global_table_settings_json(const DescribeGlobalTableSettingsResponse& response, std::string& out) {
  write_settings(response, out);
}

}  // namespace trestle
