// Any bytes as the body of any operation: a request or an error comes back, the error can be written, and what a
// request holds is valid.
#include "base/check.h"
#include "model/database.h"
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
#include "protocol/describe_export_json.h"
#include "protocol/describe_import_json.h"
#include "protocol/describe_limits_json.h"
#include "protocol/describe_stream_json.h"
#include "protocol/describe_table_json.h"
#include "protocol/describe_time_to_live_json.h"
#include "protocol/error_json.h"
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

using namespace trestle;

namespace {

template <class Request>
void read_any(Result<Request> (*reader)(JsonInput), std::string_view body) {
  const auto input = parse_body(body);
  if (!input.has_value()) return;
  const auto request = reader(*input);
  if (request.has_value()) {
    if constexpr (requires { request->item; }) CHECK(is_valid_item(request->item.bytes()));
    if constexpr (requires { request->key; }) CHECK(is_valid_item(request->key.bytes()));
    return;
  }
  std::string reply;
  write_error_json(request.error(), reply);
  CHECK(parse_body(reply).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
#define TRESTLE_READ(Name, name) read_any(read_##name##_json, body);
  TRESTLE_OPERATIONS(TRESTLE_READ)
#undef TRESTLE_READ
  return 0;
}
