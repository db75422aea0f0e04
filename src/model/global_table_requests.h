// Global tables, version 2017: CreateGlobalTable, UpdateGlobalTable, DescribeGlobalTable, ListGlobalTables,
// UpdateGlobalTableSettings, DescribeGlobalTableSettings. (Version 2019 uses members of UpdateTable.)
//
// Amazon DynamoDB no longer creates such tables and Trestle does not have them. Responses therefore contain only what
// identifies a replica, and UpdateGlobalTableSettings ignores the auto scaling settings.
#pragma once

#include "model/table_requests.h"

namespace trestle {

struct CreateGlobalTableRequest {
  std::string global_table_name;
  std::vector<std::string> regions;
};

struct UpdateGlobalTableRequest {
  // Exactly one of the two is present.
  struct ReplicaUpdate {
    std::optional<std::string> created_region;
    std::optional<std::string> deleted_region;
  };
  std::string global_table_name;
  std::vector<ReplicaUpdate> replica_updates;
};

struct DescribeGlobalTableRequest {
  std::string global_table_name;
};

// Statuses are in the API's own spelling.
struct GlobalTableReplica {
  std::string region;
  std::string status;
};
struct GlobalTableDescription {
  std::string name;
  std::string arn;
  std::string status;
  int64_t created_ms = 0;
  std::vector<GlobalTableReplica> replicas;
};
// Response of CreateGlobalTable, UpdateGlobalTable and DescribeGlobalTable.
struct GlobalTableResponse {
  GlobalTableDescription global_table;
};
using CreateGlobalTableResponse = GlobalTableResponse;
using UpdateGlobalTableResponse = GlobalTableResponse;
using DescribeGlobalTableResponse = GlobalTableResponse;

struct ListGlobalTablesRequest {
  std::optional<std::string> exclusive_start_global_table_name;
  std::optional<int64_t> limit;
  std::optional<std::string> region;
};
struct ListGlobalTablesResponse {
  struct Entry {
    std::string name;
    std::vector<std::string> regions;
  };
  std::vector<Entry> global_tables;
  std::optional<std::string> last_evaluated_global_table_name;
};

struct DescribeGlobalTableSettingsRequest {
  std::string global_table_name;
};
struct UpdateGlobalTableSettingsRequest {
  std::string global_table_name;
  std::optional<BillingMode> billing_mode;
  std::optional<int64_t> write_units;
};
// Response of UpdateGlobalTableSettings and DescribeGlobalTableSettings.
struct GlobalTableSettingsResponse {
  std::string global_table_name;
  std::vector<GlobalTableReplica> replicas;
};
using DescribeGlobalTableSettingsResponse = GlobalTableSettingsResponse;
using UpdateGlobalTableSettingsResponse = GlobalTableSettingsResponse;

}  // namespace trestle
