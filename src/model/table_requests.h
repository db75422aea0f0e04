// Tables and their settings: CreateTable, UpdateTable, DeleteTable, DescribeTable, ListTables, time to live, tags,
// limits and endpoints. A parameter that the client omitted is absent; the engine fills in DynamoDB's defaults.
#pragma once

#include "model/error.h"
#include "model/table.h"

namespace trestle {

// Rejects a member about replicas of a table in other regions or accounts.
inline std::unexpected<Error> replication_refused(std::string_view member) {
  return invalid_parameter(std::string(member).append(" is not supported: a table is kept in one place"));
}

struct KeySchemaElement {
  std::string attribute_name;
  bool is_range = false;
};

struct IndexDefinition {
  std::string index_name;
  std::vector<KeySchemaElement> key_schema;
  std::optional<ProjectionType> projection_type;
  std::optional<std::vector<std::string>> non_key_attributes;
  std::optional<Throughput> throughput;
  std::optional<ThroughputLimits> on_demand;
  std::optional<ThroughputLimits> warm;
};

struct SearchSchemaElement {
  std::string attribute_name;
  bool is_hash = false;  // HASH; otherwise INLINE_FILTER
};

struct VectorIndexDefinition {
  std::string index_name;
  std::string vector_attribute;
  int64_t dimensions = 0;
  DistanceFunction distance = DistanceFunction::kCosine;
  std::optional<std::vector<SearchSchemaElement>> search_schema;
  std::optional<ProjectionType> projection_type;
  std::optional<std::vector<std::string>> non_key_attributes;
};

struct StreamSpecification {
  bool enabled = false;
  std::optional<StreamViewType> view_type;
};

struct CreateTableRequest {
  std::string table_name;
  std::vector<KeyAttribute> attribute_definitions;
  std::vector<KeySchemaElement> key_schema;
  std::optional<std::vector<IndexDefinition>> local_indexes;
  std::optional<std::vector<IndexDefinition>> global_indexes;
  std::optional<std::vector<VectorIndexDefinition>> vector_indexes;
  std::optional<BillingMode> billing_mode;
  std::optional<Throughput> throughput;
  std::optional<ThroughputLimits> on_demand;
  std::optional<ThroughputLimits> warm;
  std::optional<StreamSpecification> stream;
  std::optional<SseSpecification> sse;
  std::optional<TableClass> table_class;
  std::optional<bool> deletion_protection;
  std::optional<std::vector<Tag>> tags;
  std::optional<std::string> resource_policy;
};

struct IndexUpdate {
  enum class Kind { kCreate, kUpdate, kDelete } kind = Kind::kCreate;
  IndexDefinition index;  // kUpdate: name and throughput; kDelete: only the name
};

struct VectorIndexUpdate {
  bool is_delete = false;
  VectorIndexDefinition index;  // to delete: only the name
};

struct UpdateTableRequest {
  std::string table_name;
  std::optional<std::vector<KeyAttribute>> attribute_definitions;
  std::optional<std::vector<IndexUpdate>> index_updates;  // GlobalSecondaryIndexUpdates
  std::optional<std::vector<VectorIndexUpdate>> vector_index_updates;
  std::optional<BillingMode> billing_mode;
  std::optional<Throughput> throughput;
  std::optional<ThroughputLimits> on_demand;
  std::optional<ThroughputLimits> warm;
  std::optional<StreamSpecification> stream;
  std::optional<SseSpecification> sse;
  std::optional<TableClass> table_class;
  std::optional<bool> deletion_protection;
  bool replica_updates = false;  // whether ReplicaUpdates is present; rejected, because Trestle has no replicas
};

struct DeleteTableRequest {
  std::string table_name;
};
struct DescribeTableRequest {
  std::string table_name;
};
// Response of CreateTable, UpdateTable, DeleteTable and DescribeTable.
struct TableResponse {
  TableDescription table;
};
using CreateTableResponse = TableResponse;
using UpdateTableResponse = TableResponse;
using DeleteTableResponse = TableResponse;
// The same field, but its wire name differs.
struct DescribeTableResponse : TableResponse {};

struct ListTablesRequest {
  std::optional<std::string> exclusive_start_table_name;
  std::optional<int64_t> limit;
};
struct ListTablesResponse {
  std::vector<std::string> table_names;
  std::optional<std::string> last_evaluated_table_name;
};

struct UpdateTimeToLiveRequest {
  std::string table_name;
  std::string attribute_name;
  bool enabled = false;
};
struct UpdateTimeToLiveResponse {
  std::string attribute_name;
  bool enabled = false;
};
struct DescribeTimeToLiveRequest {
  std::string table_name;
};
struct DescribeTimeToLiveResponse {
  std::optional<std::string> attribute_name;  // absent: DISABLED
  bool enabling = false;                      // not all existing items are indexed yet
};

struct TagResourceRequest {
  std::string resource_arn;
  std::vector<Tag> tags;
};
struct TagResourceResponse {};
struct UntagResourceRequest {
  std::string resource_arn;
  std::vector<std::string> tag_keys;
};
struct UntagResourceResponse {};
struct ListTagsOfResourceRequest {
  std::string resource_arn;
  std::optional<std::string> next_token;
};
struct ListTagsOfResourceResponse {
  std::vector<Tag> tags;
  std::optional<std::string> next_token;
};

struct DescribeLimitsRequest {};
struct DescribeLimitsResponse {
  int64_t account_read_units_max = 80'000;
  int64_t account_write_units_max = 80'000;
  int64_t table_read_units_max = 40'000;
  int64_t table_write_units_max = 40'000;
};

}  // namespace trestle
