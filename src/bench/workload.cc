#include "bench/workload.h"

#include <fmt/format.h>

#include <array>

#include "base/check.h"

namespace trestle::bench {

namespace {

constexpr std::string_view kPlainItem = R"({"pk":{"S":"<key>"},"data":{"S":"<data>"}})";
constexpr std::string_view kRangedItem = R"({"pk":{"S":"<partition>"},"sk":{"S":"<sort>"},"data":{"S":"<data>"}})";

std::string get_body(const DataShape& data) {
  return fmt::format(R"({{"TableName":"{}","Key":{{"pk":{{"S":"<key>"}}}}}})", data.table);
}

std::string put_body(const DataShape& data) {
  return fmt::format(R"({{"TableName":"{}","Item":{}}})", data.table, kPlainItem);
}

std::string put_if_body(const DataShape& data) {
  return fmt::format(R"json({{"TableName":"{}","Item":{},"ConditionExpression":"attribute_exists(pk)"}})json",
                     data.table, kPlainItem);
}

std::string add_body(const DataShape& data, std::string_view key) {
  return fmt::format(R"({{"TableName":"{}","Key":{{"pk":{{"S":"{}"}}}},"UpdateExpression":"ADD n :one",)"
                     R"("ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}})",
                     data.table, key);
}

std::string update_body(const DataShape& data) { return add_body(data, "<key>"); }

std::string hot_body(const DataShape& data) { return add_body(data, "k0000000000"); }

std::string query_body(const DataShape& data, unsigned limit) {
  return fmt::format(R"({{"TableName":"{}","KeyConditionExpression":"pk = :pk",)"
                     R"("ExpressionAttributeValues":{{":pk":{{"S":"<partition>"}}}},"Limit":{}}})",
                     table_name(data, TableKind::kRanged), limit);
}

std::string query10_body(const DataShape& data) { return query_body(data, 10); }

std::string query100_body(const DataShape& data) { return query_body(data, 100); }

std::string scan_body(const DataShape& data) {
  return fmt::format(R"({{"TableName":"{}","Limit":100,"ExclusiveStartKey":{{"pk":{{"S":"<key>"}}}}}})", data.table);
}

std::string plain_batch_body(const DataShape& data) { return batch_body(data, TableKind::kPlain); }

// kTransactItems copies of `action`, for consecutive items.
std::string transact_body(std::string_view action) {
  std::string actions;
  for (uint64_t item = 0; item < kTransactItems; ++item) {
    if (item > 0) actions += ",<next>";
    actions += action;
  }
  return fmt::format(R"({{"TransactItems":[{}]}})", actions);
}

std::string transact_write_body(const DataShape& data) {
  return transact_body(fmt::format(R"({{"Put":{}}})", put_body(data)));
}

std::string transact_get_body(const DataShape& data) {
  return transact_body(fmt::format(R"({{"Get":{}}})", get_body(data)));
}

std::string partiql_body(const DataShape& data) {
  return fmt::format(R"({{"Statement":"SELECT * FROM \"{}\" WHERE pk = ?","Parameters":[{{"S":"<key>"}}]}})",
                     data.table);
}

std::string get_records_body(const DataShape& data) {
  return fmt::format(R"({{"ShardIterator":"{}","Limit":100}})", data.shard_iterator);
}

constexpr std::array kWorkloads = {
    Workload{"get", "GetItem", TableKind::kPlain, get_body},
    Workload{"put", "PutItem", TableKind::kPlain, put_body},
    Workload{"put-if", "PutItem", TableKind::kPlain, put_if_body},
    Workload{"update", "UpdateItem", TableKind::kPlain, update_body},
    Workload{"hot", "UpdateItem", TableKind::kPlain, hot_body},
    Workload{"batch", "BatchWriteItem", TableKind::kPlain, plain_batch_body},
    Workload{"transact-write4", "TransactWriteItems", TableKind::kPlain, transact_write_body},
    Workload{"transact-get4", "TransactGetItems", TableKind::kPlain, transact_get_body},
    Workload{"partiql", "ExecuteStatement", TableKind::kPlain, partiql_body},
    Workload{"query10", "Query", TableKind::kRanged, query10_body},
    Workload{"query100", "Query", TableKind::kRanged, query100_body},
    Workload{"scan", "Scan", TableKind::kPlain, scan_body},
    Workload{"get-records", "GetRecords", TableKind::kStreamed, get_records_body},
};

}  // namespace

std::string table_name(const DataShape& data, TableKind kind) {
  if (kind == TableKind::kPlain) return data.table;
  return data.table + (kind == TableKind::kRanged ? "-ranged" : "-streamed");
}

size_t data_bytes(const DataShape& data, TableKind kind) {
  size_t other = std::string_view("pk").size() + kKeyBytes + std::string_view("data").size();
  if (kind == TableKind::kRanged) other += std::string_view("sk").size() + kSortBytes;
  CHECK(data.item_bytes > other);
  return data.item_bytes - other;
}

std::string batch_body(const DataShape& data, TableKind kind) {
  std::string requests;
  for (uint64_t item = 0; item < kBatchItems; ++item) {
    if (item > 0) requests += ",<next>";
    requests += fmt::format(R"({{"PutRequest":{{"Item":{}}}}})", kind == TableKind::kRanged ? kRangedItem : kPlainItem);
  }
  return fmt::format(R"({{"RequestItems":{{"{}":[{}]}}}})", table_name(data, kind), requests);
}

std::span<const Workload> workloads() { return kWorkloads; }

const Workload* find_workload(std::string_view name) {
  for (const Workload& workload : kWorkloads) {
    if (workload.name == name) return &workload;
  }
  return nullptr;
}

WorkloadSource::WorkloadSource(const Workload& workload, const RequestContext& context, const DataShape& data,
                               uint64_t seed)
    : request_(context, {.operation = workload.operation,
                         .body = workload.body(data),
                         .data_bytes = data_bytes(data, workload.table),
                         .items = data.items}),
      random_(seed),
      items_(data.items),
      batch_(workload.operation == "BatchWriteItem"),
      uses_separate_items_(workload.operation == "TransactWriteItems") {}

std::string_view WorkloadSource::next(size_t connection) {
  if (!uses_separate_items_) return request_.fill(random_.below(items_), random_);
  // Groups of items are assigned in turn to this many connections at most.
  constexpr uint64_t kConnectionsMax = 10'000;
  const uint64_t groups = items_ / kTransactItems;
  if (connection >= groups) return {};
  const uint64_t groups_per_connection = groups <= kConnectionsMax ? 1 : groups / kConnectionsMax;
  const uint64_t group = connection + kConnectionsMax * random_.below(groups_per_connection);
  return request_.fill(group * kTransactItems, random_);
}

bool WorkloadSource::accept(size_t /*connection*/, const Response& response) {
  if (response.status != 200) return false;
  if (!batch_) return true;
  const size_t unprocessed = response.body.find("\"UnprocessedItems\"");
  return unprocessed == std::string_view::npos ||
         response.body.find("PutRequest", unprocessed) == std::string_view::npos;
}

}  // namespace trestle::bench
