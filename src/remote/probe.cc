#include "remote/probe.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random_id.h"
#include "protocol/json/error_json.h"

namespace trestle {
namespace {

// Names of resources that do not exist.
struct Absent {
  std::string table = fmt::format("trestle-probe-{:016x}", random_u64());
  std::string table_arn = "arn:aws:dynamodb:us-east-1:000000000000:table/" + table;
  std::string stream_arn = table_arn + "/stream/2020-01-01T00:00:00.000";
  std::string backup_arn = table_arn + "/backup/01577836800000-00000001";
  std::string export_arn = table_arn + "/export/01577836800000-00000001";
  std::string statement = fmt::format("SELECT * FROM \"{}\" WHERE pk = 'probe'", table);
  Item key{{"pk", Value::string("probe")}};
};

// Sets the members that have the same name and meaning in most operations.
template <class Request>
void fill(Request& request, const Absent& absent) {
  if constexpr (requires { request.table_name = absent.table; }) request.table_name = absent.table;
  if constexpr (requires { request.key = absent.key; }) request.key = absent.key;
  if constexpr (requires { request.item = absent.key; }) request.item = absent.key;
  if constexpr (requires { request.stream_arn = absent.stream_arn; }) request.stream_arn = absent.stream_arn;
  if constexpr (requires { request.backup_arn = absent.backup_arn; }) request.backup_arn = absent.backup_arn;
  if constexpr (requires { request.resource_arn = absent.table_arn; }) request.resource_arn = absent.table_arn;
}

// Sets the other members that DynamoDB requires.
template <class Request>
void fill_more(Request&, const Absent&) {}
// A table without a key is rejected.
void fill_more(CreateTableRequest& request, const Absent&) { request.key_schema = {}; }
void fill_more(UpdateTableRequest& request, const Absent&) { request.deletion_protection = false; }
void fill_more(BatchGetItemRequest& request, const Absent& absent) {
  request.tables = {{.table_name = absent.table, .keys = {absent.key}, .projection = {}, .names = {}}};
}
void fill_more(BatchWriteItemRequest& request, const Absent& absent) {
  request.tables = {{.table_name = absent.table, .writes = {{.is_delete = true, .item = absent.key}}}};
}
void fill_more(QueryRequest& request, const Absent&) {
  request.key_condition_expression = "pk = :v";
  request.placeholders.values = ValueMap{{":v", Value::string("probe")}};
}
void fill_more(SearchVectorsRequest& request, const Absent&) {
  request.index_name = "probe";
  request.search_vector = {Value::number(1)};
  request.top_k = 1;
}
void fill_more(TransactGetItemsRequest& request, const Absent& absent) {
  request.gets = {{.table_name = absent.table, .key = absent.key, .projection = {}, .names = {}, .fault = {}}};
}
void fill_more(TransactWriteItemsRequest& request, const Absent& absent) {
  TransactWrite& write = request.writes.emplace_back();
  write.kind = TransactWrite::Kind::kDelete;
  write.table_name = absent.table;
  write.item = absent.key;
}
void fill_more(ExecuteStatementRequest& request, const Absent& absent) { request.statement.text = absent.statement; }
void fill_more(BatchExecuteStatementRequest& request, const Absent& absent) {
  request.statements.emplace_back().text = absent.statement;
}
void fill_more(ExecuteTransactionRequest& request, const Absent& absent) {
  request.statements.emplace_back().text = absent.statement;
}
void fill_more(GetShardIteratorRequest& request, const Absent&) {
  request.shard_id = "shardId-00000001577836800000-00000000";
}
void fill_more(GetRecordsRequest& request, const Absent&) { request.shard_iterator = "probe"; }
void fill_more(CreateBackupRequest& request, const Absent&) { request.backup_name = "probe"; }
void fill_more(RestoreTableFromBackupRequest& request, const Absent& absent) {
  request.target_table_name = absent.table;
}
void fill_more(RestoreTableToPointInTimeRequest& request, const Absent& absent) {
  request.source_table_name = absent.table;
  request.target_table_name = absent.table + "-restored";
  request.use_latest_restorable_time = true;
}
void fill_more(ExportTableToPointInTimeRequest& request, const Absent& absent) {
  request.table_arn = absent.table_arn;
  request.s3_bucket = "trestle-probe";
}
void fill_more(DescribeExportRequest& request, const Absent& absent) { request.export_arn = absent.export_arn; }
void fill_more(UpdateTimeToLiveRequest& request, const Absent&) { request.attribute_name = "expires"; }
void fill_more(TagResourceRequest& request, const Absent&) { request.tags = {{.key = "probe", .value = "probe"}}; }
void fill_more(UntagResourceRequest& request, const Absent&) { request.tag_keys = {"probe"}; }

bool says_lacking(const Error& error) {
  if (error.code == ErrorCode::kUnknownOperation || error.code == ErrorCode::kNotImplemented) return true;
  if (error.code != ErrorCode::kValidation && error.code != ErrorCode::kInternal) return false;
  std::string message = error.message;
  std::ranges::transform(message, message.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  // DynamoDB's own reply to creating a global table of version 2017.
  if (message.find("global tables version 2017.11.29 is not supported") != message.npos) return false;
  for (const std::string_view words : {"unsupported operation", "not supported", "not implemented", "unknown operation",
                                       "unknownoperation", "not yet supported", "http status 404", "http status 501"}) {
    if (message.find(words) != message.npos) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<LackingOperation>> probe(Database& database) {
  const Absent absent;
  std::vector<LackingOperation> lacking;
  const auto note = [&](std::string_view operation, const auto& answer) -> Result<void> {
    if (answer.has_value()) return {};
    const Error& error = answer.error();
    if (error.code == ErrorCode::kServiceUnavailable) return std::unexpected(error);
    if (!says_lacking(error)) return {};
    const std::string_view answer_text = error.message.empty() ? error_name(error.code) : error.message;
    lacking.push_back({.operation = operation, .answer = std::string(answer_text)});
    return {};
  };
#define TRESTLE_PROBE(Name, name)             \
  {                                           \
    Name##Request request;                    \
    fill(request, absent);                    \
    fill_more(request, absent);               \
    TRY(note(#Name, database.name(request))); \
  }
  TRESTLE_OPERATIONS(TRESTLE_PROBE)
#undef TRESTLE_PROBE
  return lacking;
}

}  // namespace trestle
