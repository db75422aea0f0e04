#include "server/operations.h"

#include <algorithm>
#include <array>

#include "protocol/batch_execute_statement_json.h"
#include "protocol/batch_get_item_json.h"
#include "protocol/batch_write_item_json.h"
#include "protocol/create_backup_json.h"
#include "protocol/create_table_json.h"
#include "protocol/delete_backup_json.h"
#include "protocol/delete_item_json.h"
#include "protocol/delete_table_json.h"
#include "protocol/describe_backup_json.h"
#include "protocol/describe_continuous_backups_json.h"
#include "protocol/describe_endpoints_json.h"
#include "protocol/describe_limits_json.h"
#include "protocol/describe_stream_json.h"
#include "protocol/describe_table_json.h"
#include "protocol/describe_time_to_live_json.h"
#include "protocol/execute_statement_json.h"
#include "protocol/execute_transaction_json.h"
#include "protocol/get_item_json.h"
#include "protocol/get_records_json.h"
#include "protocol/get_shard_iterator_json.h"
#include "protocol/list_backups_json.h"
#include "protocol/list_streams_json.h"
#include "protocol/list_tables_json.h"
#include "protocol/list_tags_of_resource_json.h"
#include "protocol/put_item_json.h"
#include "protocol/query_json.h"
#include "protocol/restore_table_from_backup_json.h"
#include "protocol/restore_table_to_point_in_time_json.h"
#include "protocol/scan_json.h"
#include "protocol/tag_resource_json.h"
#include "protocol/transact_get_items_json.h"
#include "protocol/transact_write_items_json.h"
#include "protocol/untag_resource_json.h"
#include "protocol/update_continuous_backups_json.h"
#include "protocol/update_item_json.h"
#include "protocol/update_table_json.h"
#include "protocol/update_time_to_live_json.h"

namespace trestle {
namespace {

template <class Request>
void note_table(const Request& request, Call& call) {
  if constexpr (requires { call.table_name = request.table_name; }) call.table_name = request.table_name;
}

#define TRESTLE_RUN(Name, name)                                                                \
  Result<void> run_##name(Database& database, JsonInput input, Call& call, std::string& out) { \
    TRY_INTO(const Name##Request request, read_##name##_json(input));                          \
    note_table(request, call);                                                                 \
    TRY_INTO(const Name##Response response, database.name(request, call));                     \
    write_##name##_json(response, out);                                                        \
    return {};                                                                                 \
  }
TRESTLE_OPERATIONS(TRESTLE_RUN)
#undef TRESTLE_RUN

#define TRESTLE_ROW(Name, name) Operation{#Name, run_##name},
// Sorted by name.
constexpr auto kOperations = [] {
  auto rows = std::to_array<Operation>({
      TRESTLE_OPERATIONS(TRESTLE_ROW)
      // The rest of the API.
      {"CancelBulkOperation"}, {"CreateGlobalTable"},
      {"DeleteResourcePolicy"}, {"DescribeBulkOperation"},
      {"DescribeContributorInsights"}, {"DescribeExport"}, {"DescribeGlobalTable"}, {"DescribeGlobalTableSettings"},
      {"DescribeImport"}, {"DescribeKinesisStreamingDestination"}, {"DescribeTableReplicaAutoScaling"},
      {"DisableKinesisStreamingDestination"}, {"EnableKinesisStreamingDestination"},
      {"ExportTableToPointInTime"}, {"GetResourcePolicy"}, {"ImportTable"},
      {"ListBulkOperations"}, {"ListContributorInsights"}, {"ListExports"}, {"ListGlobalTables"}, {"ListImports"},
      {"PutResourcePolicy"}, {"SearchVectors"},
      {"StartBulkPutItems"},
      {"UpdateContributorInsights"}, {"UpdateGlobalTable"}, {"UpdateGlobalTableSettings"},
      {"UpdateKinesisStreamingDestination"}, {"UpdateTableReplicaAutoScaling"},
  });
  std::sort(rows.begin(), rows.end(), [](const Operation& a, const Operation& b) { return a.name < b.name; });
  return rows;
}();
#undef TRESTLE_ROW

}  // namespace

const Operation* find_operation(std::string_view name) {
  const auto it = std::lower_bound(kOperations.begin(), kOperations.end(), name,
                                   [](const Operation& row, std::string_view wanted) { return row.name < wanted; });
  return it != kOperations.end() && it->name == name ? &*it : nullptr;
}

bool is_dynamodb_service(std::string_view service) {
  return service == "DynamoDB_20120810" || service == "DynamoDB_20111205" || service == "DynamoDBStreams_20120810";
}

}  // namespace trestle
