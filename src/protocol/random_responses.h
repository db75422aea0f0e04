// Random responses with every kind of member, beside the requests of random_requests.h.
#pragma once

#include "protocol/random_requests.h"

namespace trestle {

class Maker : public RequestMaker {
 public:
  using RequestMaker::fill;
  using RequestMaker::RequestMaker;

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
      return BackupSummary{.details = backup_details(), .table_name = name(), .table_id = text(), .table_arn = arn()};
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
};

}  // namespace trestle
