#include "server/operations.h"

#include <algorithm>
#include <array>

#include "protocol/batch_execute_statement_json.h"
#include "protocol/batch_get_item_json.h"
#include "protocol/batch_write_item_json.h"
#include "protocol/cancel_bulk_operation_json.h"
#include "protocol/contributor_insights_json.h"
#include "protocol/create_backup_json.h"
#include "protocol/create_table_json.h"
#include "protocol/delete_backup_json.h"
#include "protocol/delete_item_json.h"
#include "protocol/delete_resource_policy_json.h"
#include "protocol/delete_table_json.h"
#include "protocol/describe_backup_json.h"
#include "protocol/describe_bulk_operation_json.h"
#include "protocol/describe_continuous_backups_json.h"
#include "protocol/describe_endpoints_json.h"
#include "protocol/describe_export_json.h"
#include "protocol/describe_import_json.h"
#include "protocol/describe_limits_json.h"
#include "protocol/describe_stream_json.h"
#include "protocol/describe_table_json.h"
#include "protocol/describe_time_to_live_json.h"
#include "protocol/execute_statement_json.h"
#include "protocol/execute_transaction_json.h"
#include "protocol/export_table_to_point_in_time_json.h"
#include "protocol/get_item_json.h"
#include "protocol/get_records_json.h"
#include "protocol/get_resource_policy_json.h"
#include "protocol/get_shard_iterator_json.h"
#include "protocol/global_tables_json.h"
#include "protocol/import_table_json.h"
#include "protocol/kinesis_destinations_json.h"
#include "protocol/list_backups_json.h"
#include "protocol/list_bulk_operations_json.h"
#include "protocol/list_exports_json.h"
#include "protocol/list_imports_json.h"
#include "protocol/list_streams_json.h"
#include "protocol/list_tables_json.h"
#include "protocol/list_tags_of_resource_json.h"
#include "protocol/put_item_json.h"
#include "protocol/put_resource_policy_json.h"
#include "protocol/query_json.h"
#include "protocol/replica_auto_scaling_json.h"
#include "protocol/restore_table_from_backup_json.h"
#include "protocol/restore_table_to_point_in_time_json.h"
#include "protocol/scan_json.h"
#include "protocol/search_vectors_json.h"
#include "protocol/start_bulk_put_items_json.h"
#include "protocol/tag_resource_json.h"
#include "protocol/transact_get_items_json.h"
#include "protocol/transact_write_items_json.h"
#include "protocol/untag_resource_json.h"
#include "protocol/update_continuous_backups_json.h"
#include "protocol/update_item_json.h"
#include "protocol/update_table_json.h"
#include "protocol/update_time_to_live_json.h"
#include "server/admission.h"

namespace trestle {
namespace {

template <class Request>
void note_table(const Request& request, Call& call) {
  if constexpr (requires { call.table_name = request.table_name; }) call.table_name = request.table_name;
}

// The call itself, for a request that is admitted.
template <class Request, class Run>
auto call_admitted(const Request& request, Admission* admission, Run run) -> decltype(run(request)) {
  if (admission != nullptr) TRY(admission->admit(request));
  return run(request);
}

// Statements that are refused are answered so, one by one; the others run.
template <class Run>
Result<BatchExecuteStatementResponse> call_admitted(const BatchExecuteStatementRequest& request, Admission* admission,
                                                    Run run) {
  if (admission == nullptr) return run(request);
  std::vector<std::optional<Error>> refused = admission->admit_each(request);
  BatchExecuteStatementRequest rest{.statements = {}, .return_consumed_capacity = request.return_consumed_capacity};
  for (size_t i = 0; i < refused.size(); ++i) {
    if (!refused[i]) rest.statements.push_back(request.statements[i]);
  }
  if (rest.statements.size() == refused.size()) return run(request);
  BatchExecuteStatementResponse answer;
  if (!rest.statements.empty()) {
    TRY_INTO(answer, run(rest));
  }
  for (size_t i = 0; i < refused.size(); ++i) {
    if (!refused[i]) continue;
    BatchStatementResponse response;
    response.error = std::move(refused[i]);
    answer.responses.insert(answer.responses.begin() + static_cast<std::ptrdiff_t>(i), std::move(response));
  }
  return answer;
}

#define TRESTLE_RUN(Name, name)                                                                                 \
  Result<void> run_##name(Database& database, JsonInput input, Call& call, Admission* admission, std::string& out) { \
    TRY_INTO(const Name##Request request, read_##name##_json(input));                                           \
    note_table(request, call);                                                                                  \
    const auto run = [&](const Name##Request& admitted) { return database.name(admitted, call); };              \
    TRY_INTO(const Name##Response response, call_admitted(request, admission, run));                            \
    write_##name##_json(response, out);                                                                         \
    return {};                                                                                                  \
  }
TRESTLE_OPERATIONS(TRESTLE_RUN)
#undef TRESTLE_RUN

#define TRESTLE_ROW(Name, name) Operation{#Name, run_##name},
// Sorted by name.
constexpr auto kOperations = [] {
  auto rows = std::to_array<Operation>({
      TRESTLE_OPERATIONS(TRESTLE_ROW)
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
