// The operations on tables, their settings and tags in the client's direction.
#include "protocol/client_input.h"
#include "protocol/client_json.h"
#include "protocol/client_output.h"
#include "protocol/client_table_members.h"
#include "protocol/client_vector_members.h"
#include "protocol/table_enumerations.h"

namespace trestle {
namespace {

void put_attribute_definitions(JsonOutput& json, const std::vector<KeyAttribute>& attributes) {
  put_list(json, "AttributeDefinitions", attributes, [](JsonOutput& element, const KeyAttribute& attribute) {
    put(element, "AttributeName", attribute.name);
    put_choice(element, "AttributeType", attribute.type, kAttributeTypes);
  });
}

void put_tags(JsonOutput& json, const std::vector<Tag>& tags) {
  put_list(json, "Tags", tags, [](JsonOutput& element, const Tag& tag) {
    put(element, "Key", tag.key);
    put(element, "Value", tag.value);
  });
}

void put_warm(JsonOutput& json, const std::optional<ThroughputLimits>& limits) {
  if (!limits) return;
  json.key("WarmThroughput").begin_object();
  put(json, "ReadUnitsPerSecond", limits->read_units);
  put(json, "WriteUnitsPerSecond", limits->write_units);
  json.end_object();
}

// The three settings of throughput that tables and indexes share. `Owner` is a request or an index.
template <class Owner>
void put_throughputs(JsonOutput& json, const Owner& owner) {
  put_units(json, "ProvisionedThroughput", owner.throughput);
  put_on_demand(json, "OnDemandThroughput", owner.on_demand);
  put_warm(json, owner.warm);
}

void put_index_update(JsonOutput& json, const IndexUpdate& update) {
  switch (update.kind) {
    case IndexUpdate::Kind::kCreate:
      json.key("Create").begin_object();
      put_index(json, update.index);
      break;
    case IndexUpdate::Kind::kUpdate:
      json.key("Update").begin_object();
      put(json, "IndexName", update.index.index_name);
      put_throughputs(json, update.index);
      break;
    case IndexUpdate::Kind::kDelete:
      json.key("Delete").begin_object();
      put(json, "IndexName", update.index.index_name);
      break;
  }
  json.end_object();
}

// What CreateTable and UpdateTable share.
template <class Request>
void put_settings(JsonOutput& json, const Request& request) {
  put(json, "TableName", request.table_name);
  put_choice(json, "BillingMode", request.billing_mode, kBillingModes);
  put_throughputs(json, request);
  if (request.stream) {
    json.key("StreamSpecification").begin_object();
    put(json, "StreamEnabled", request.stream->enabled);
    put_choice(json, "StreamViewType", request.stream->view_type, kStreamViewTypes);
    json.end_object();
  }
  put_sse(json, "SSESpecification", request.sse);
  put_choice(json, "TableClass", request.table_class, kTableClasses);
  put(json, "DeletionProtectionEnabled", request.deletion_protection);
}

}  // namespace

void put_key_schema(JsonOutput& json, const std::vector<KeySchemaElement>& key) {
  put_list(json, "KeySchema", key, [](JsonOutput& element, const KeySchemaElement& part) {
    put(element, "AttributeName", part.attribute_name);
    put_choice(element, "KeyType", part.is_range, kKeyTypes);
  });
}

void put_units(JsonOutput& json, std::string_view name, const std::optional<Throughput>& throughput) {
  if (!throughput) return;
  json.key(name).begin_object();
  put(json, "ReadCapacityUnits", throughput->read_units);
  put(json, "WriteCapacityUnits", throughput->write_units);
  json.end_object();
}

void put_on_demand(JsonOutput& json, std::string_view name, const std::optional<ThroughputLimits>& limits) {
  if (!limits) return;
  json.key(name).begin_object();
  put(json, "MaxReadRequestUnits", limits->read_units);
  put(json, "MaxWriteRequestUnits", limits->write_units);
  json.end_object();
}

void put_sse(JsonOutput& json, std::string_view name, const std::optional<SseSpecification>& sse) {
  if (!sse) return;
  json.key(name).begin_object();
  put(json, "Enabled", sse->enabled);
  if (!sse->type.empty()) put(json, "SSEType", sse->type);
  if (!sse->key_id.empty()) put(json, "KMSMasterKeyId", sse->key_id);
  json.end_object();
}

void put_index(JsonOutput& json, const IndexDefinition& index) {
  put(json, "IndexName", index.index_name);
  put_key_schema(json, index.key_schema);
  json.key("Projection").begin_object();
  put_choice(json, "ProjectionType", index.projection_type, kProjectionTypes);
  put(json, "NonKeyAttributes", index.non_key_attributes);
  json.end_object();
  put_throughputs(json, index);
}

void put_members(JsonOutput& json, const CreateTableRequest& request) {
  put_settings(json, request);
  put_attribute_definitions(json, request.attribute_definitions);
  put_key_schema(json, request.key_schema);
  if (request.local_indexes) put_list(json, "LocalSecondaryIndexes", *request.local_indexes, put_index);
  if (request.global_indexes) put_list(json, "GlobalSecondaryIndexes", *request.global_indexes, put_index);
  if (request.vector_indexes) put_list(json, "VectorIndexes", *request.vector_indexes, put_vector_index);
  if (request.tags) put_tags(json, *request.tags);
  put(json, "ResourcePolicy", request.resource_policy);
}

void write_request_json(const CreateTableRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put_members(json, request);
  json.end_object();
}

void write_request_json(const UpdateTableRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put_settings(json, request);
  if (request.attribute_definitions) put_attribute_definitions(json, *request.attribute_definitions);
  if (request.index_updates) {
    put_list(json, "GlobalSecondaryIndexUpdates", *request.index_updates, put_index_update);
  }
  if (request.vector_index_updates) {
    put_list(json, "VectorIndexUpdates", *request.vector_index_updates, put_vector_index_update);
  }
  json.end_object();
}

Result<void> check_writable(const UpdateTableRequest& request) {
  if (request.replica_updates) return invalid("ReplicaUpdates cannot be passed on to another endpoint");
  return {};
}

void write_request_json(const DeleteTableRequest& request, std::string& out) {
  write_only_member("TableName", request.table_name, out);
}
void write_request_json(const DescribeTableRequest& request, std::string& out) {
  write_only_member("TableName", request.table_name, out);
}
void write_request_json(const DescribeTimeToLiveRequest& request, std::string& out) {
  write_only_member("TableName", request.table_name, out);
}
void write_request_json(const DescribeLimitsRequest&, std::string& out) { out.append("{}"); }

void write_request_json(const ListTablesRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "ExclusiveStartTableName", request.exclusive_start_table_name);
  put(json, "Limit", request.limit);
  json.end_object();
}

void write_request_json(const UpdateTimeToLiveRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "TableName", request.table_name);
  json.key("TimeToLiveSpecification").begin_object();
  put(json, "AttributeName", request.attribute_name);
  put(json, "Enabled", request.enabled);
  json.end_object();
  json.end_object();
}

void write_request_json(const TagResourceRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "ResourceArn", request.resource_arn);
  put_tags(json, request.tags);
  json.end_object();
}

void write_request_json(const UntagResourceRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "ResourceArn", request.resource_arn);
  put(json, "TagKeys", request.tag_keys);
  json.end_object();
}

void write_request_json(const ListTagsOfResourceRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put(json, "ResourceArn", request.resource_arn);
  put(json, "NextToken", request.next_token);
  json.end_object();
}

Result<void> read_response_json(JsonInput input, TableResponse& response) {
  return take_members(input, into("Table", response.table), into("TableDescription", response.table));
}

Result<void> read_response_json(JsonInput input, ListTablesResponse& response) {
  return take_members(input, into("TableNames", response.table_names),
                      into("LastEvaluatedTableName", response.last_evaluated_table_name));
}

Result<void> read_response_json(JsonInput input, UpdateTimeToLiveResponse& response) {
  return take_members(input, into("TimeToLiveSpecification", [&](JsonElement json) {
                        return take_members(json, into("AttributeName", response.attribute_name),
                                            into("Enabled", response.enabled));
                      }));
}

// An attribute whose time to live is being disabled no longer deletes anything.
Result<void> read_response_json(JsonInput input, DescribeTimeToLiveResponse& response) {
  std::optional<std::string> attribute_name;
  std::string status;
  TRY(take_members(input, into("TimeToLiveDescription", [&](JsonElement json) {
                     return take_members(json, into("AttributeName", attribute_name), into("TimeToLiveStatus", status));
                   })));
  response.enabling = status == "ENABLING";
  if (response.enabling || status == "ENABLED") response.attribute_name = std::move(attribute_name);
  return {};
}

Result<void> read_response_json(JsonInput, TagResourceResponse&) { return {}; }
Result<void> read_response_json(JsonInput, UntagResourceResponse&) { return {}; }

Result<void> read_response_json(JsonInput input, ListTagsOfResourceResponse& response) {
  return take_members(input, into("Tags", response.tags), into("NextToken", response.next_token));
}

Result<void> read_response_json(JsonInput input, DescribeLimitsResponse& response) {
  return take_members(input, into("AccountMaxReadCapacityUnits", response.account_read_units_max),
                      into("AccountMaxWriteCapacityUnits", response.account_write_units_max),
                      into("TableMaxReadCapacityUnits", response.table_read_units_max),
                      into("TableMaxWriteCapacityUnits", response.table_write_units_max));
}

}  // namespace trestle
