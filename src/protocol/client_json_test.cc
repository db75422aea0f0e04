// The two directions of the protocol undo each other: what the server reads of a request that the client wrote is that
// request, and what the client reads of a response that the server wrote is that response. Requests and responses are
// random; equality is seen by writing again.
#include "protocol/client_json.h"

#include <gtest/gtest.h>

#include <random>

#include "protocol/batch_execute_statement_json.h"
#include "protocol/batch_get_item_json.h"
#include "protocol/batch_write_item_json.h"
#include "protocol/client_error_json.h"
#include "protocol/create_backup_json.h"
#include "protocol/create_table_json.h"
#include "protocol/delete_backup_json.h"
#include "protocol/delete_item_json.h"
#include "protocol/delete_table_json.h"
#include "protocol/describe_backup_json.h"
#include "protocol/describe_continuous_backups_json.h"
#include "protocol/describe_limits_json.h"
#include "protocol/describe_stream_json.h"
#include "protocol/describe_table_json.h"
#include "protocol/describe_time_to_live_json.h"
#include "protocol/error_json.h"
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

constexpr int kRounds = 200;

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  size_t below(size_t n) { return random_() % n; }
  bool flag() { return below(2) == 0; }
  template <class T>
  std::optional<T> maybe(T value) {
    return flag() ? std::optional<T>(std::move(value)) : std::nullopt;
  }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  int64_t units() { return static_cast<int64_t>(below(1000)) + 1; }

  std::string text() {
    const std::string pieces[] = {"a", "Z9", "\"", "\\", "\n", "é", "漢", "😀", "/", "x y", "\x01"};
    std::string out = "t";
    for (size_t i = below(6); i > 0; --i) out += pieces[below(std::size(pieces))];
    return out;
  }
  std::string name() { return "name-" + std::to_string(below(1000)); }
  std::string arn() { return "arn:aws:dynamodb:us-east-1:000000000000:table/" + name(); }
  std::string stream_arn() { return arn() + "/stream/2026-01-31T12:00:00.000"; }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    for (size_t i = 0, count = below(3) + 1; i < count; ++i) out.push_back("n" + std::to_string(i));
    return out;
  }

  Value value(unsigned depth = 0) {
    switch (below(depth < 3 ? 9 : 6)) {
      case 0:
        return Value::null();
      case 1:
        return Value::boolean(flag());
      case 2:
        return Value::string(text());
      case 3:
        return Value::number(static_cast<int64_t>(random_() % 1'000'000) - 500'000);
      case 4:
        return Value::binary(text());
      case 5:
        return Value::set(ValueType::kStringSet, {"a", "b"});
      case 6:
        return Value::set(ValueType::kBinarySet, {"a", "\x01"});
      case 7: {
        const Value a = value(depth + 1), b = value(depth + 1);
        const ValueView views[] = {a, b};
        return Value::list(views);
      }
      default: {
        const Value a = value(depth + 1), b = value(depth + 1);
        return Value::map({{"left", a}, {text() + "?", b}});
      }
    }
  }
  Item item() {
    const Value a = value(), b = value();
    return Item(std::vector<Field>{{"pk", a}, {text(), b}});
  }
  template <class T, class Make>
  std::vector<T> some(Make make) {
    std::vector<T> out;
    for (size_t i = 0, count = below(3) + 1; i < count; ++i) out.push_back(make());
    return out;
  }

  NameMap name_map() { return {{"#a", text()}, {"#b", "plain"}}; }
  Placeholders placeholders() {
    return {.names = maybe(name_map()), .values = maybe(ValueMap{{":a", value()}, {":b", value()}})};
  }
  ReturnConsumedCapacity capacity_asked() {
    return one_of({ReturnConsumedCapacity::kNone, ReturnConsumedCapacity::kTotal, ReturnConsumedCapacity::kIndexes});
  }
  LegacyConditions legacy(bool expected) {
    LegacyConditions out;
    out.push_back({.attribute = "a\"b", .comparison = ComparisonOperator::kEq, .operands = std::vector{value(9)}});
    out.push_back({.attribute = "c",
                   .comparison = ComparisonOperator::kBetween,
                   .operands = std::vector{Value::number(1), Value::number(2)}});
    if (expected) out.push_back({.attribute = "d", .value = Value::string("v"), .exists = maybe(true)});
    return out;
  }

  // ---- Requests.

  template <class Request>
  void write_members(Request& r) {
    r.table_name = name();
    r.return_values = one_of({ReturnValues::kNone, ReturnValues::kAllOld});
    r.return_consumed_capacity = capacity_asked();
    r.return_item_collection_metrics = flag();
    r.condition.return_item_on_failure = flag();
    if (flag()) {
      r.condition.expression = "attribute_exists(#a) AND #b = :a";
      r.placeholders = placeholders();
    } else {
      r.condition.expected = legacy(true);
      r.condition.conditional_operator = maybe(ConditionalOperator::kOr);
    }
  }
  void fill(PutItemRequest& r) {
    write_members(r);
    r.item = item();
  }
  void fill(DeleteItemRequest& r) {
    write_members(r);
    r.key = item();
  }
  void fill(UpdateItemRequest& r) {
    write_members(r);
    r.key = item();
    if (r.condition.expression) {
      r.update_expression = "SET #a = :a";
    } else {
      r.attribute_updates =
          std::vector<LegacyUpdate>{{.attribute = text(), .action = UpdateAction::kAdd, .value = Value::number(1)},
                                    {.attribute = "gone", .action = UpdateAction::kDelete, .value = {}}};
    }
  }
  void projection(ReadProjection& out, std::optional<NameMap>& map) {
    if (flag()) {
      out.expression = "#a, b.c[1]";
      map = maybe(name_map());
    } else {
      out.attributes_to_get = maybe(names());
    }
  }
  void fill(GetItemRequest& r) {
    r.table_name = name();
    r.key = item();
    projection(r.projection, r.names);
    r.consistent_read = flag();
    r.return_consumed_capacity = capacity_asked();
  }
  void page(PageRequest& r) {
    r.table_name = name();
    r.index_name = maybe(name());
    r.exclusive_start_key = maybe(item());
    r.limit = maybe(units());
    r.consistent_read = flag();
    r.return_consumed_capacity = capacity_asked();
    if (flag()) {
      r.filter_expression = "#a = :a";
      r.placeholders = placeholders();
      r.select = maybe(Select::kCount);
    } else {
      r.legacy_filter = legacy(false);
      r.conditional_operator = maybe(ConditionalOperator::kAnd);
      r.projection.attributes_to_get = maybe(names());
    }
  }
  void fill(QueryRequest& r) {
    page(r);
    if (r.filter_expression) {
      r.key_condition_expression = "pk = :a";
    } else {
      r.key_conditions = legacy(false);
    }
    r.scan_index_forward = flag();
  }
  void fill(ScanRequest& r) {
    page(r);
    if (flag()) {
      r.segment = 1;
      r.total_segments = 4;
    }
  }
  void fill(BatchGetItemRequest& r) {
    const bool expressions = flag();
    for (const std::string& table : names()) {
      BatchGetTable& t = r.tables.emplace_back();
      t.table_name = "table-" + table;
      t.keys = some<Item>([&] { return item(); });
      if (expressions) {
        t.projection.expression = "#a, b";
        t.names = maybe(name_map());
      } else {
        t.projection.attributes_to_get = maybe(names());
      }
      t.consistent_read = flag();
    }
    r.return_consumed_capacity = capacity_asked();
  }
  std::vector<BatchWriteTable> write_tables() {
    std::vector<BatchWriteTable> out;
    for (const std::string& table : names()) {
      out.push_back({.table_name = "table-" + table,
                     .writes = some<BatchWrite>([&] { return BatchWrite{.is_delete = flag(), .item = item()}; })});
    }
    return out;
  }
  void fill(BatchWriteItemRequest& r) {
    r.tables = write_tables();
    r.return_consumed_capacity = capacity_asked();
    r.return_item_collection_metrics = flag();
  }
  void fill(TransactGetItemsRequest& r) {
    r.gets = some<TransactGet>([&] {
      TransactGet get;
      get.table_name = name();
      get.key = item();
      get.projection.expression = maybe(std::string("#a"));
      get.names = maybe(name_map());
      return get;
    });
    r.return_consumed_capacity = capacity_asked();
  }
  void fill(TransactWriteItemsRequest& r) {
    using Kind = TransactWrite::Kind;
    r.writes = some<TransactWrite>([&] {
      TransactWrite write;
      write.kind = one_of({Kind::kConditionCheck, Kind::kPut, Kind::kDelete, Kind::kUpdate});
      write.table_name = name();
      write.item = item();
      if (write.kind == Kind::kUpdate) write.update_expression = "REMOVE #a";
      if (write.kind == Kind::kConditionCheck || flag()) write.condition.expression = "#a = :a";
      write.condition.return_item_on_failure = flag();
      write.placeholders = placeholders();
      return write;
    });
    r.client_request_token = maybe(std::string("token"));
    r.return_consumed_capacity = capacity_asked();
    r.return_item_collection_metrics = flag();
  }
  Statement statement() {
    Statement out;
    out.text = "SELECT * FROM \"" + name() + "\" WHERE pk = ?";
    if (flag()) out.parameters = some<Value>([&] { return value(); });
    out.consistent_read = flag();
    out.return_item_on_failure = flag();
    return out;
  }
  void fill(ExecuteStatementRequest& r) {
    r.statement = statement();
    r.limit = maybe(units());
    r.return_consumed_capacity = capacity_asked();
  }
  void fill(BatchExecuteStatementRequest& r) {
    r.statements = some<Statement>([&] { return statement(); });
    r.return_consumed_capacity = capacity_asked();
  }
  void fill(ExecuteTransactionRequest& r) {
    r.statements = some<Statement>([&] { return statement(); });
    r.client_request_token = maybe(std::string("token"));
    r.return_consumed_capacity = capacity_asked();
  }
  void fill(ListStreamsRequest& r) {
    r.table_name = maybe(name());
    r.limit = maybe<int64_t>(7);
    r.exclusive_start_stream_arn = maybe(stream_arn());
  }
  std::string shard_id() { return "shardId-00000001577836800000-" + std::to_string(10'000'000 + below(1'000'000)); }
  void fill(DescribeStreamRequest& r) {
    r.stream_arn = stream_arn();
    r.limit = maybe<int64_t>(7);
    r.exclusive_start_shard_id = maybe(shard_id());
    r.child_shards_of = maybe(shard_id());
  }
  void fill(GetShardIteratorRequest& r) {
    r.stream_arn = stream_arn();
    r.shard_id = shard_id();
    r.type = one_of({ShardIteratorType::kTrimHorizon, ShardIteratorType::kLatest, ShardIteratorType::kAtSequenceNumber,
                     ShardIteratorType::kAfterSequenceNumber});
    if (r.type == ShardIteratorType::kAtSequenceNumber || r.type == ShardIteratorType::kAfterSequenceNumber) {
      r.sequence_number = "000000000000000000000123";
    }
  }
  void fill(GetRecordsRequest& r) {
    r.shard_iterator = text();
    r.limit = maybe<int64_t>(9);
  }
  std::vector<KeySchemaElement> key_schema() {
    std::vector<KeySchemaElement> out{{.attribute_name = "pk", .is_range = false}};
    if (flag()) out.push_back({.attribute_name = "sk", .is_range = true});
    return out;
  }
  ThroughputLimits limits() { return {.read_units = maybe(units()), .write_units = maybe(units())}; }
  Throughput throughput() { return {.read_units = units(), .write_units = units()}; }
  IndexDefinition index(bool global) {
    IndexDefinition out;
    out.index_name = name();
    out.key_schema = key_schema();
    out.projection_type = one_of({ProjectionType::kAll, ProjectionType::kInclude, ProjectionType::kKeysOnly});
    if (out.projection_type == ProjectionType::kInclude) out.non_key_attributes = names();
    if (!global) return out;
    out.throughput = maybe(throughput());
    out.on_demand = maybe(limits());
    out.warm = maybe(limits());
    return out;
  }
  template <class Request>
  void settings(Request& r) {
    r.table_name = name();
    r.billing_mode = maybe(one_of({BillingMode::kProvisioned, BillingMode::kPayPerRequest}));
    r.throughput = maybe(throughput());
    r.on_demand = maybe(limits());
    r.warm = maybe(limits());
    r.stream = maybe(StreamSpecification{.enabled = flag(), .view_type = maybe(StreamViewType::kNewAndOldImages)});
    r.sse = maybe(SseSpecification{.enabled = maybe(flag()), .type = flag() ? "KMS" : "", .key_id = flag() ? "k" : ""});
    r.table_class = maybe(TableClass::kStandardInfrequentAccess);
    r.deletion_protection = maybe(flag());
  }
  std::vector<KeyAttribute> attributes() {
    return {{.name = "pk", .type = ValueType::kString},
            {.name = "sk", .type = one_of({ValueType::kNumber, ValueType::kBinary})}};
  }
  std::vector<Tag> tags() {
    return some<Tag>([&] { return Tag{.key = text(), .value = text()}; });
  }
  void fill(CreateTableRequest& r) {
    settings(r);
    r.attribute_definitions = attributes();
    r.key_schema = key_schema();
    if (flag()) r.local_indexes = some<IndexDefinition>([&] { return index(false); });
    if (flag()) r.global_indexes = some<IndexDefinition>([&] { return index(true); });
    r.tags = maybe(tags());
    r.resource_policy = maybe(text());
  }
  void fill(UpdateTableRequest& r) {
    settings(r);
    r.attribute_definitions = maybe(attributes());
    if (flag()) {
      r.index_updates = some<IndexUpdate>([&] {
        using Kind = IndexUpdate::Kind;
        IndexUpdate update{.kind = one_of({Kind::kCreate, Kind::kUpdate, Kind::kDelete}), .index = index(true)};
        if (update.kind == Kind::kUpdate) update.index = {.index_name = name(), .throughput = throughput()};
        if (update.kind == Kind::kDelete) update.index = {.index_name = name()};
        return update;
      });
    }
  }
  void fill(DeleteTableRequest& r) { r.table_name = name(); }
  void fill(DescribeTableRequest& r) { r.table_name = name(); }
  void fill(DescribeTimeToLiveRequest& r) { r.table_name = name(); }
  void fill(DescribeLimitsRequest&) {}
  void fill(ListTablesRequest& r) {
    r.exclusive_start_table_name = maybe(name());
    r.limit = maybe<int64_t>(5);
  }
  std::string backup_arn() { return arn() + "/backup/01791526119669-fd87be64"; }
  void fill(CreateBackupRequest& r) {
    r.table_name = name();
    r.backup_name = name();
  }
  void fill(DescribeBackupRequest& r) { r.backup_arn = backup_arn(); }
  void fill(DeleteBackupRequest& r) { r.backup_arn = backup_arn(); }
  void fill(ListBackupsRequest& r) {
    r.table_name = maybe(name());
    r.limit = maybe<int64_t>(7);
    r.lower_bound_ms = maybe(time_ms());
    r.upper_bound_ms = maybe(time_ms());
    r.exclusive_start_backup_arn = maybe(backup_arn());
    r.type = one_of({BackupTypeFilter::kUser, BackupTypeFilter::kAll, BackupTypeFilter::kSystem});
  }
  RestoreOverrides overrides() {
    RestoreOverrides out;
    out.billing_mode = maybe(one_of({BillingMode::kProvisioned, BillingMode::kPayPerRequest}));
    const auto indexes = [&](bool global) {
      return some<IndexDefinition>([&] {
        IndexDefinition made = index(global);
        made.warm.reset();  // not among a restore's overrides
        return made;
      });
    };
    if (flag()) out.global_indexes = flag() ? std::vector<IndexDefinition>{} : indexes(true);
    if (flag()) out.local_indexes = flag() ? std::vector<IndexDefinition>{} : indexes(false);
    out.throughput = maybe(throughput());
    out.on_demand = maybe(limits());
    if (flag()) out.sse = SseSpecification{.enabled = maybe(flag()), .type = flag() ? "KMS" : "", .key_id = arn()};
    return out;
  }
  void fill(RestoreTableFromBackupRequest& r) {
    r.target_table_name = name();
    r.backup_arn = backup_arn();
    r.overrides = overrides();
  }
  void fill(RestoreTableToPointInTimeRequest& r) {
    if (flag()) {
      r.source_table_arn = arn();
    } else {
      r.source_table_name = name();
    }
    r.target_table_name = name();
    r.use_latest_restorable_time = maybe(flag());
    r.restore_ms = maybe(time_ms());
    r.overrides = overrides();
  }
  void fill(UpdateContinuousBackupsRequest& r) {
    r.table_name = name();
    r.enabled = flag();
    r.recovery_period_days = maybe<int64_t>(7);
  }
  void fill(DescribeContinuousBackupsRequest& r) { r.table_name = name(); }
  void fill(UpdateTimeToLiveRequest& r) {
    r.table_name = name();
    r.attribute_name = text();
    r.enabled = flag();
  }
  void fill(TagResourceRequest& r) {
    r.resource_arn = arn();
    r.tags = tags();
  }
  void fill(UntagResourceRequest& r) {
    r.resource_arn = arn();
    r.tag_keys = names();
  }
  void fill(ListTagsOfResourceRequest& r) {
    r.resource_arn = arn();
    r.next_token = maybe(text());
  }

  // ---- Responses.

  ConsumedCapacity capacity() {
    ConsumedCapacity out;
    out.table_name = name();
    out.detail = one_of({ReturnConsumedCapacity::kTotal, ReturnConsumedCapacity::kIndexes});
    out.kind = one_of({CapacityKind::kPlain, CapacityKind::kTransactionRead, CapacityKind::kTransactionWrite});
    out.total = static_cast<double>(below(100)) / 2;
    if (out.detail == ReturnConsumedCapacity::kIndexes) {
      out.table = static_cast<double>(below(100)) / 2;
      if (flag()) out.local_indexes = {{"local", 1.5}};
      if (flag()) out.global_indexes = {{"one", 0.5}, {"two", 3}};
    }
    return out;
  }
  std::vector<ConsumedCapacity> capacities() {
    return some<ConsumedCapacity>([&] { return capacity(); });
  }
  ItemCollectionMetrics metrics() { return {.collection_key = item(), .size_gb_low = 1, .size_gb_high = 2}; }
  ItemList items() {
    ItemList out;
    for (size_t i = below(4); i > 0; --i) out.add(item());
    return out;
  }
  void fill(WriteItemResponse& r) {
    r.attributes = maybe(item());
    r.consumed_capacity = maybe(capacity());
    r.item_collection_metrics = maybe(metrics());
  }
  void fill(GetItemResponse& r) {
    r.item = maybe(item());
    r.consumed_capacity = maybe(capacity());
  }
  void fill(PageResponse& r) {
    r.items_returned = flag();
    if (r.items_returned) r.items = items();
    r.count = units();
    r.scanned_count = units();
    r.last_evaluated_key = maybe(item());
    r.consumed_capacity = maybe(capacity());
  }
  void fill(BatchGetItemResponse& r) {
    for (const std::string& table : names()) r.responses.emplace_back(table, items());
    if (flag()) {
      BatchGetItemRequest left;
      fill(left);
      r.unprocessed = left.tables;
    }
    r.consumed_capacity = capacities();
  }
  void fill(BatchWriteItemResponse& r) {
    if (flag()) r.unprocessed = write_tables();
    if (flag()) r.item_collection_metrics = {{name(), {metrics(), metrics()}}};
    r.consumed_capacity = capacities();
  }
  void fill(TransactGetItemsResponse& r) {
    r.items = some<std::optional<Item>>([&] { return maybe(item()); });
    r.consumed_capacity = capacities();
  }
  void fill(TransactWriteItemsResponse& r) {
    if (flag()) r.item_collection_metrics = {{name(), {metrics()}}};
    r.consumed_capacity = capacities();
  }
  void fill(ExecuteStatementResponse& r) {
    r.items = items();
    r.last_evaluated_key = maybe(item());
    r.consumed_capacity = maybe(capacity());
  }
  void fill(BatchExecuteStatementResponse& r) {
    r.responses = some<BatchStatementResponse>([&] {
      BatchStatementResponse one;
      one.table_name = maybe(name());
      if (flag()) {
        one.error = Error{.code = one_of({ErrorCode::kValidation, ErrorCode::kThrottling, ErrorCode::kResourceNotFound,
                                          ErrorCode::kConditionalCheckFailed, ErrorCode::kInternal}),
                          .message = text()};
      }
      one.item = maybe(item());
      return one;
    });
    r.consumed_capacity = capacities();
  }
  void fill(ExecuteTransactionResponse& r) {
    r.items = some<std::optional<Item>>([&] { return maybe(item()); });
    r.consumed_capacity = capacities();
  }
  void fill(ListStreamsResponse& r) {
    r.streams =
        some<StreamSummary>([&] { return StreamSummary{.arn = stream_arn(), .table_name = name(), .label = text()}; });
    r.last_evaluated_stream_arn = maybe(stream_arn());
  }
  int64_t time_ms() { return 1'700'000'000'000 + static_cast<int64_t>(below(1'000'000'000)); }
  KeySchema key() {
    KeySchema out;
    out.hash = {{.name = "pk", .type = ValueType::kString}};
    if (flag()) out.range = {{.name = "sk", .type = ValueType::kString}};
    return out;
  }
  void fill(DescribeStreamResponse& r) {
    r.stream.arn = stream_arn();
    r.stream.label = text();
    r.stream.enabled = flag();
    r.stream.view_type = one_of({StreamViewType::kKeysOnly, StreamViewType::kOldImage});
    r.stream.created_ms = time_ms();
    r.stream.table_name = name();
    r.stream.key = key();
    r.stream.shards = some<ShardDescription>([&] {
      return ShardDescription{.id = shard_id(),
                              .parent_id = maybe(shard_id()),
                              .starting_sequence_number = "1",
                              .ending_sequence_number = maybe(std::string("2"))};
    });
    r.stream.last_evaluated_shard_id = maybe(shard_id());
  }
  void fill(GetShardIteratorResponse& r) { r.shard_iterator = text(); }
  void fill(GetRecordsResponse& r) {
    r.region = "eu-west-1";
    r.view_type = one_of({StreamViewType::kNewImage, StreamViewType::kNewAndOldImages});
    r.records = some<StreamRecord>([&] {
      StreamRecord record;
      record.event_id = text();
      record.event = one_of({StreamEvent::kInsert, StreamEvent::kModify, StreamEvent::kRemove});
      record.origin = one_of({WriteOrigin::kClient, WriteOrigin::kTimeToLive});
      record.created_ms = time_ms();
      record.sequence_number = "123";
      record.keys = item();
      record.new_image = maybe(item());
      record.old_image = maybe(item());
      record.size_bytes = below(1000);
      return record;
    });
    r.next_shard_iterator = maybe(text());
  }
  void fill(TableResponse& r) {
    TableDescription& t = r.table;
    t.name = name();
    t.id = text();
    t.arn = arn();
    t.status = one_of({Status::kActive, Status::kCreating, Status::kUpdating});
    t.created_ms = time_ms();
    t.attributes = attributes();
    t.key = key();
    for (const bool global : {false, true}) {
      if (flag()) continue;
      IndexDescription& i = t.indexes.emplace_back();
      i.name = name();
      i.global = global;
      i.key = key();
      i.projection.type = one_of({ProjectionType::kAll, ProjectionType::kInclude});
      if (i.projection.type == ProjectionType::kInclude) i.projection.non_key_attributes = names();
      i.item_count = units();
      i.size_bytes = units();
      i.arn = arn();
      if (!global) continue;
      i.status = one_of({Status::kActive, Status::kCreating});
      i.backfilling = flag();
      i.throughput = throughput();
      i.on_demand = limits();
      i.warm = limits();
    }
    t.billing_summary = flag();
    if (t.billing_summary) t.billing = one_of({BillingMode::kProvisioned, BillingMode::kPayPerRequest});
    if (t.billing_summary && flag()) t.pay_per_request_since_ms = time_ms();
    t.throughput = throughput();
    t.throughput_decreases_today = units();
    if (flag()) t.throughput_increased_ms = time_ms();
    t.on_demand = limits();
    t.warm = limits();
    t.deletion_protection = flag();
    t.table_class = maybe(TableClass::kStandard);
    if (flag()) t.sse = {.enabled = true, .type = "KMS", .key_id = arn()};
    t.stream = maybe(StreamViewType::kNewImage);
    if (flag()) t.restore = RestoreSummary{backup_arn(), arn(), time_ms()};
    if (flag()) t.stream_label = "2026-01-31T12:00:00.000";
    t.item_count = units();
    t.size_bytes = units();
  }
  BackupDetails backup_details() {
    return {.arn = backup_arn(),
            .name = name(),
            .size_bytes = units(),
            .status = one_of({BackupStatus::kCreating, BackupStatus::kAvailable, BackupStatus::kDeleted}),
            .type = one_of({BackupType::kUser, BackupType::kSystem}),
            .created_ms = time_ms(),
            .expires_ms = flag() ? time_ms() : 0};
  }
  void fill(CreateBackupResponse& r) { r.backup = backup_details(); }
  void fill(BackupResponse& r) {
    TableResponse table;
    fill(table);
    r.backup.details = backup_details();
    r.backup.table = table.table;
    r.backup.table.ttl_attribute = maybe(text());
  }
  void fill(ListBackupsResponse& r) {
    r.backups = some<BackupSummary>([&] {
      return BackupSummary{
          .details = backup_details(), .table_name = name(), .table_id = text(), .table_arn = arn()};
    });
    r.last_evaluated_backup_arn = maybe(backup_arn());
  }
  void fill(ContinuousBackupsResponse& r) {
    r.enabled = flag();
    if (r.enabled) r = {true, units(), time_ms(), time_ms()};
  }
  void fill(ListTablesResponse& r) {
    r.table_names = names();
    r.last_evaluated_table_name = maybe(name());
  }
  void fill(UpdateTimeToLiveResponse& r) {
    r.attribute_name = text();
    r.enabled = flag();
  }
  void fill(DescribeTimeToLiveResponse& r) {
    r.attribute_name = maybe(text());
    r.enabling = r.attribute_name && flag();
  }
  void fill(TagResourceResponse&) {}
  void fill(UntagResourceResponse&) {}
  void fill(ListTagsOfResourceResponse& r) {
    r.tags = tags();
    r.next_token = maybe(text());
  }
  void fill(DescribeLimitsResponse& r) { r = {units(), units(), units(), units()}; }

 private:
  std::mt19937_64 random_;
};

uint64_t run_seed() {
  static const uint64_t seed = std::random_device{}();
  return seed;
}

template <class Request>
void check_request(std::string_view operation, Result<Request> (*server_reads)(JsonInput)) {
  Maker maker(run_seed());
  for (int round = 0; round < kRounds; ++round) {
    Request request;
    maker.fill(request);
    std::string written;
    write_request_json(request, written);
    const auto input = parse_body(written);
    ASSERT_TRUE(input.has_value()) << operation << " seed " << run_seed() << ": " << written;
    const auto read = server_reads(*input);
    ASSERT_TRUE(read.has_value()) << operation << " seed " << run_seed() << ": " << read.error().message << written;
    std::string again;
    write_request_json(*read, again);
    ASSERT_EQ(again, written) << operation << " seed " << run_seed();
  }
}

template <class Response>
void check_response(std::string_view operation, void (*server_writes)(const Response&, std::string&)) {
  Maker maker(run_seed());
  for (int round = 0; round < kRounds; ++round) {
    Response response;
    maker.fill(response);
    std::string written;
    server_writes(response, written);
    if (std::is_empty_v<Response> && written.empty()) continue;  // an answer without members has no body
    const auto input = parse_reply(written);
    ASSERT_TRUE(input.has_value()) << operation << " seed " << run_seed() << ": " << written;
    Response read;
    const auto taken = read_response_json(*input, read);
    ASSERT_TRUE(taken.has_value()) << operation << " seed " << run_seed() << ": " << taken.error().message << written;
    std::string again;
    server_writes(read, again);
    ASSERT_EQ(again, written) << operation << " seed " << run_seed();
  }
}

TEST(ClientJson, the_server_reads_the_request_that_was_written){
#define TRESTLE_CHECK(Name, name) check_request<Name##Request>(#Name, read_##name##_json);
    TRESTLE_OPERATIONS(TRESTLE_CHECK)
#undef TRESTLE_CHECK
}

TEST(ClientJson, the_response_that_the_server_wrote_is_read){
#define TRESTLE_CHECK(Name, name) check_response<Name##Response>(#Name, write_##name##_json);
    TRESTLE_OPERATIONS(TRESTLE_CHECK)
#undef TRESTLE_CHECK
}

TEST(ClientJson, a_statements_token_is_the_endpoints_text) {
  ExecuteStatementResponse response;
  ASSERT_TRUE(read_response_json(*parse_reply(R"({"Items":[],"NextToken":"not base64!"})"), response).has_value());
  std::string out;
  ExecuteStatementRequest request;
  request.statement.text = "s";
  request.next_token = response.next_token;
  write_request_json(request, out);
  EXPECT_EQ(out, R"({"Statement":"s","NextToken":"not base64!"})");
}

TEST(ClientJson, what_endpoints_add_is_ignored_and_wrong_types_are_refused) {
  GetItemResponse response;
  EXPECT_TRUE(read_response_json(*parse_reply(R"({"Item":{"a":{"S":"b"}},"New":[1]})"), response).has_value());
  EXPECT_EQ(response.item->find("a")->scalar(), "b");
  EXPECT_FALSE(read_response_json(*parse_reply(R"({"Item":[]})"), response).has_value());
  EXPECT_FALSE(read_response_json(*parse_reply(R"({"Item":{"a":{"N":"x"}}})"), response).has_value());
  EXPECT_FALSE(parse_reply("{").has_value());
  EXPECT_FALSE(parse_reply("").has_value());
  EXPECT_FALSE(parse_reply("[]").has_value());
}

TEST(ClientJson, a_request_that_was_read_with_a_fault_is_refused) {
  TransactWriteItemsRequest request;
  request.writes.emplace_back().fault = "wrong";
  EXPECT_EQ(check_writable(request).error().message, "wrong");
  EXPECT_TRUE(check_writable(PutItemRequest{}).has_value());
}

TEST(ClientErrorJson, every_error_comes_back_as_it_was) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    Error error{.code = static_cast<ErrorCode>(i), .message = "because"};
    std::string body;
    write_error_json(error, body);
    const ReplyError read = read_error_json(error_shape(error.code).http_status, body);
    const ErrorCode expected = error.code == ErrorCode::kNotImplemented ? ErrorCode::kUnknownOperation : error.code;
    EXPECT_EQ(read.error.code, expected) << body;
    EXPECT_EQ(read.error.message, "because");
    EXPECT_EQ(read.name, error_name(error.code));
  }
}

TEST(ClientErrorJson, items_and_reasons_come_along) {
  const auto item = std::make_shared<const Item>(Item{{"pk", Value::string("a")}});
  Error failed{.code = ErrorCode::kConditionalCheckFailed, .message = "no", .item = item};
  Error canceled{.code = ErrorCode::kTransactionCanceled, .message = "no"};
  canceled.reasons = std::make_shared<const std::vector<CancellationReason>>(
      std::vector<CancellationReason>{{}, {.code = "ConditionalCheckFailed", .message = "m", .item = item}});
  Error throttled{.code = ErrorCode::kThrottling, .message = "slow"};
  throttled.throttling = std::make_shared<const std::vector<ThrottlingReason>>(
      std::vector<ThrottlingReason>{{.reason = "r", .resource = "arn"}});
  for (const Error& error : {failed, canceled, throttled}) {
    std::string body;
    write_error_json(error, body);
    std::string again;
    write_error_json(read_error_json(400, body).error, again);
    EXPECT_EQ(again, body);
  }
}

TEST(ClientErrorJson, what_is_not_in_the_table_becomes_the_nearest) {
  const auto code = [](int status, std::string_view body) { return read_error_json(status, body).error.code; };
  EXPECT_EQ(code(400, R"({"__type":"a#UnrecognizedClientException","message":"m"})"), ErrorCode::kAccessDenied);
  EXPECT_EQ(code(400, R"({"__type":"NewException"})"), ErrorCode::kValidation);
  EXPECT_EQ(code(500, R"({"__type":"NewException"})"), ErrorCode::kInternal);
  EXPECT_EQ(code(503, "<html>"), ErrorCode::kServiceUnavailable);
  EXPECT_EQ(code(403, ""), ErrorCode::kAccessDenied);
  EXPECT_EQ(read_error_json(400, R"({"__type":"a#NewException","Message":"m"})").error.message, "NewException: m");
  EXPECT_EQ(read_error_json(502, "Bad Gateway").error.message, "HTTP status 502: Bad Gateway");
}

}  // namespace
}  // namespace trestle
