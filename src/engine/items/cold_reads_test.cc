// Calls that must not wait for the disk, on items that are not in memory.
#include <gtest/gtest.h>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "base/scratch_folder.h"
#include "engine/quiet_engine.h"
#include "storage/disk/cold_disk_for_test.h"

namespace trestle {
namespace {

Item key_of(std::string_view pk) { return Item{{"pk", Value::string(pk)}}; }

// A table whose items are in files that are not cached.
struct ColdTable : QuietTable {
  using QuietTable::QuietTable;
  std::string iterator;

  void open_cold() {
    EngineOptions engine_options = options();
    engine_options.store.file_system = std::make_shared<ColdDisk>();
    open(std::move(engine_options));
  }
  void fill() {
    open_cold();
    create(StreamSpecification{.enabled = true, .view_type = StreamViewType::kNewImage});
    for (const char* pk : {"a", "b", "c"}) put(pk, 1);
    open_cold();  // reopening flushes the write buffers to files
    const auto streams = engine->list_streams({});
    ASSERT_TRUE(streams.has_value());
    const std::string arn = streams->streams.front().arn;
    const auto stream = engine->describe_stream({.stream_arn = arn});
    ASSERT_TRUE(stream.has_value()) << stream.error().message;
    const auto found = engine->get_shard_iterator(
        {.stream_arn = arn, .shard_id = stream->stream.shards.front().id, .type = ShardIteratorType::kTrimHorizon});
    ASSERT_TRUE(found.has_value()) << found.error().message;
    iterator = found->shard_iterator;
  }
  double units() const { return consumed(UnitKind::kRead) + consumed(UnitKind::kWrite); }
  double consumed(UnitKind kind) const {
    const auto& counts = engine->catalog().find("table")->counts->consumed;
    return kind == UnitKind::kRead ? counts.read() : counts.write();
  }
  int64_t items() const { return engine->describe_table({.table_name = "table"})->table.item_count; }
};

using Send = std::function<bool(ColdTable&, Call&)>;

template <class Request, class Response>
Send send(Result<Response> (Database::*operation)(const Request&, Call&), const Request& request) {
  return [=](ColdTable& table, Call& call) { return (table.engine.get()->*operation)(request, call).has_value(); };
}

std::map<std::string, Send> item_operations() {
  const Item item{{"pk", Value::string("b")}, {"v", Value::number(2)}};
  UpdateItemRequest update{.table_name = "table", .key = key_of("a")};
  update.update_expression = "ADD v :one";
  update.placeholders.values = ValueMap{{":one", Value::number(1)}};
  QueryRequest query;
  query.table_name = "table";
  query.key_condition_expression = "pk = :pk";
  query.placeholders.values = ValueMap{{":pk", Value::string("a")}};
  ScanRequest scan;
  scan.table_name = "table";
  TransactWrite write{.kind = TransactWrite::Kind::kPut, .table_name = "table", .item = item};
  const BatchWrite erases{.is_delete = true, .item = key_of("c")};
  const Statement update_a{.text = "UPDATE \"table\" SET v = 7 WHERE pk = 'a'"};
  const Statement update_b{.text = "UPDATE \"table\" SET v = 7 WHERE pk = 'b'"};
  return {
      {"GetItem", send(&Database::get_item, GetItemRequest{.table_name = "table", .key = key_of("a")})},
      {"BatchGetItem",
       send(&Database::batch_get_item,
            BatchGetItemRequest{.tables = {{.table_name = "table", .keys = {key_of("a"), key_of("b")}}}})},
      {"TransactGetItems", send(&Database::transact_get_items,
                                TransactGetItemsRequest{.gets = {{.table_name = "table", .key = key_of("a")}}})},
      {"Query", send(&Database::query, query)},
      {"Scan", send(&Database::scan, scan)},
      {"PutItem", send(&Database::put_item, PutItemRequest{.table_name = "table", .item = item})},
      {"UpdateItem", send(&Database::update_item, update)},
      {"DeleteItem", send(&Database::delete_item, DeleteItemRequest{.table_name = "table", .key = key_of("a")})},
      {"BatchWriteItem",
       send(&Database::batch_write_item,
            BatchWriteItemRequest{.tables = {{.table_name = "table", .writes = {{.item = item}, erases}}}})},
      {"TransactWriteItems", send(&Database::transact_write_items,
                                  TransactWriteItemsRequest{.writes = {write}, .client_request_token = "token"})},
      {"BatchExecuteStatement",
       send(&Database::batch_execute_statement, BatchExecuteStatementRequest{.statements = {update_a, update_b}})},
      {"GetRecords",
       [](ColdTable& table, Call& call) {
         return table.engine->get_records({.shard_iterator = table.iterator}, call).has_value();
       }},
  };
}

TEST(ColdReads, an_item_operation_that_must_not_wait_has_no_effect_and_can_be_repeated) {
  for (const auto& [name, operation] : item_operations()) {
    const ScratchFolder folder;
    ColdTable table(folder.path() + "/data");
    table.fill();
    const uint64_t commits = table.engine->store().begun_commit();
    Call first;
    first.cached_reads_only = true;
    operation(table, first);
    EXPECT_TRUE(first.needs_disk) << name;
    EXPECT_EQ(table.units(), 0) << name;
    EXPECT_EQ(table.items(), 3) << name;
    EXPECT_TRUE(table.engine->store().begun_commit() == commits || name.find("Execute") != std::string::npos) << name;
    Call second;
    EXPECT_TRUE(operation(table, second)) << name;
    EXPECT_FALSE(second.needs_disk) << name;
    EXPECT_TRUE(table.engine->wait_durable(second).has_value()) << name;
    if (name != "GetRecords") {
      EXPECT_GT(table.units(), 0) << name;
    }
  }
}

TEST(ColdReads, a_write_that_must_not_wait_does_not_wait_for_a_change_of_its_table) {
  const ScratchFolder folder;
  ColdTable table(folder.path() + "/data");
  table.fill();
  const auto gate = table.engine->catalog().find("table")->gate;
  for (const char* warmed : {"a", "b", "c"}) table.put(warmed, 1);
  const double written = table.consumed(UnitKind::kWrite);
  for (const auto& [name, operation] : item_operations()) {
    const bool writes = name.find("Get") == std::string::npos && name != "Query" && name != "Scan";
    if (!writes) continue;
    Call call;
    call.cached_reads_only = true;
    {
      const std::unique_lock change(gate->writers);
      std::thread([&] { operation(table, call); }).join();
    }
    EXPECT_TRUE(call.needs_disk) << name;
    EXPECT_EQ(table.consumed(UnitKind::kWrite), written) << name;
    EXPECT_EQ(table.items(), 3) << name;
  }
}

TEST(ColdReads, a_batch_whose_first_statement_hits_does_not_wait_for_the_second) {
  const ScratchFolder folder;
  ColdTable table(folder.path() + "/data");
  table.fill();
  table.put("a", 1);
  Call call;
  call.cached_reads_only = true;
  const Statement hit{.text = "SELECT * FROM \"table\" WHERE pk = 'a'"};
  const Statement miss{.text = "SELECT * FROM \"table\" WHERE pk = 'b'"};
  const double units = table.units();
  (void)table.engine->batch_execute_statement({.statements = {hit, miss}}, call);
  EXPECT_TRUE(call.needs_disk);
  EXPECT_EQ(table.units(), units);
}

TEST(ColdReads, a_select_whose_first_partition_hits_does_not_wait_for_the_second) {
  const ScratchFolder folder;
  ColdTable table(folder.path() + "/data");
  table.fill();
  table.put("a", 1);
  Call call;
  call.cached_reads_only = true;
  const ExecuteStatementRequest select{.statement = {.text = "SELECT * FROM \"table\" WHERE pk IN ['a', 'b']"}};
  const double units = table.units();
  (void)table.engine->execute_statement(select, call);
  EXPECT_TRUE(call.needs_disk);
  EXPECT_EQ(table.units(), units);
  Call second;
  const auto found = table.engine->execute_statement(select, second);
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_EQ(found->items.size(), 2U);
}

// A count is an effect: it must not be made twice, and must not permit the call to wait.
TEST(ColdReads, a_call_that_misses_counts_no_keys) {
  const ScratchFolder folder;
  ColdTable table(folder.path() + "/data");
  table.fill();
  ASSERT_TRUE(table.engine->update_contributor_insights({.table_name = "table", .enable = true}).has_value());
  const auto reads = [&] {
    const auto report = table.engine->insights().report(table.engine->catalog().find("table")->description.keyspace, 1);
    return report ? report->whole[static_cast<size_t>(KeyEvent::kRead)].total : 0;
  };
  const auto get = [&](bool cached_only) {
    Call call;
    call.cached_reads_only = cached_only;
    (void)table.engine->get_item({.table_name = "table", .key = key_of("a")}, call);
    return call.needs_disk;
  };
  EXPECT_TRUE(get(true));
  EXPECT_EQ(reads(), 0U);
  EXPECT_FALSE(get(false));
  EXPECT_EQ(reads(), 1U);
  EXPECT_FALSE(get(true)) << "it is cached now";
  EXPECT_EQ(reads(), 2U);
}

TEST(ColdReads, cached_items_are_read_without_waiting) {
  const ScratchFolder folder;
  ColdTable table(folder.path() + "/data");
  table.fill();
  const GetItemRequest request{.table_name = "table", .key = key_of("a")};
  ASSERT_TRUE(table.engine->get_item(request).has_value());
  Call call;
  call.cached_reads_only = true;
  const auto found = table.engine->get_item(request, call);
  EXPECT_FALSE(call.needs_disk);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->item.has_value());
}

// After its first effect a call's reads wait as usual, because the call cannot be repeated.
TEST(ColdReads, after_its_first_effect_a_call_waits) {
  const ScratchFolder folder;
  ColdTable table(folder.path() + "/data");
  table.fill();
  const CachedReads reads;
  CachedReads::allow_waiting();
  const auto found = table.engine->get_item({.table_name = "table", .key = key_of("a")});
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->item.has_value());
  EXPECT_FALSE(CachedReads::missed());
}

}  // namespace
}  // namespace trestle
