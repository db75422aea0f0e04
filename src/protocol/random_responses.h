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
      if (flag()) out.vector_indexes = {{"vectors", 1024}};
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
  VectorIndexDescription described_vector_index() {
    VectorIndexDescription out;
    const VectorIndexDefinition made = vector_index();
    out.name = made.index_name;
    out.vector_attribute = made.vector_attribute;
    out.dimensions = made.dimensions;
    out.distance = made.distance;
    for (const SearchSchemaElement& element : made.search_schema.value_or(std::vector<SearchSchemaElement>{})) {
      out.search_schema.push_back({.attribute = {.name = element.attribute_name}, .is_hash = element.is_hash});
    }
    out.projection.type = *made.projection_type;
    out.projection.non_key_attributes = made.non_key_attributes.value_or(std::vector<std::string>{});
    out.status = one_of({Status::kActive, Status::kCreating, Status::kDeleting});
    out.backfilling = maybe(flag());
    out.item_count = units();
    out.size_bytes = units();
    out.arn = arn();
    return out;
  }
  void fill(SearchVectorsResponse& r) {
    r.items = items();
    for (size_t i = 0; i < r.items.size(); ++i) r.scores.push_back(static_cast<double>(below(1000)) / 16 - 20);
    r.search_request_bytes = maybe(1024.0);
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
    if (flag()) t.vector_indexes.push_back(described_vector_index());
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
  void fill(ExportResponse& r) {
    ExportDescription& d = r.description;
    d.arn = export_arn();
    d.status = one_of({ExportStatus::kInProgress, ExportStatus::kCompleted, ExportStatus::kFailed});
    d.type = one_of({ExportType::kFull, ExportType::kIncremental});
    d.table_arn = arn();
    d.table_id = text();
    d.start_ms = time_ms();
    d.end_ms = maybe(time_ms());
    d.export_ms = maybe(time_ms());
    if (flag()) d.period = export_period();
    d.manifest = maybe(text());
    d.client_token = maybe(text());
    d.s3_bucket = name();
    d.s3_bucket_owner = maybe(text());
    d.s3_prefix = maybe(text());
    d.sse_algorithm = one_of({S3SseAlgorithm::kAes256, S3SseAlgorithm::kKms});
    d.sse_kms_key_id = maybe(text());
    d.failure_code = maybe(text());
    d.failure_message = maybe(text());
    d.format = one_of({ExportFormat::kDynamoDbJson, ExportFormat::kIon});
    d.billed_size_bytes = maybe(units());
    d.item_count = maybe(units());
    if (flag()) d.filter = export_filter();
  }
  void fill(ListExportsResponse& r) {
    r.exports = some<ExportSummary>([&] {
      return ExportSummary{.arn = export_arn(),
                           .status = one_of({ExportStatus::kInProgress, ExportStatus::kCompleted}),
                           .type = one_of({ExportType::kFull, ExportType::kIncremental})};
    });
    r.next_token = maybe(text());
  }
  ImportSummary import_summary() {
    return {.arn = import_arn(),
            .status = one_of({ImportStatus::kInProgress, ImportStatus::kCompleted, ImportStatus::kCancelling,
                              ImportStatus::kCancelled, ImportStatus::kFailed}),
            .table_arn = arn(),
            .source = bucket_source(),
            .log_group_arn = flag() ? arn() : "",
            .format = one_of({InputFormat::kCsv, InputFormat::kIon, InputFormat::kDynamoDbJson}),
            .started_ms = time_ms(),
            .ended_ms = flag() ? time_ms() : 0};
  }
  void fill(ImportResponse& r) {
    ImportDescription& i = r.import;
    i.summary = import_summary();
    i.table_id = text();
    i.client_token = text();
    if (flag()) i.csv = CsvOptions{.delimiter = maybe(std::string("|")), .header_list = maybe(names())};
    i.compression = compression();
    i.table = creation_parameters();
    i.processed_bytes = maybe(units());
    i.processed_items = units();
    i.imported_items = units();
    i.errors = units();
    if (flag()) i.failure_code = "S3NoSuchBucket";
    if (!i.failure_code.empty()) i.failure_message = text();
  }
  void fill(ListImportsResponse& r) {
    r.imports = some<ImportSummary>([&] { return import_summary(); });
    r.next_token = maybe(text());
  }
  BulkOperationSummary bulk_summary() {
    using enum BulkOperationStatus;
    return {.arn = bulk_arn(),
            .status = one_of({kInProgress, kCompleted, kCompletedWithErrors, kCancelling, kCancelled, kFailed}),
            .started_ms = time_ms(),
            .ended_ms = flag() ? time_ms() : 0};
  }
  void fill(BulkOperationResponse& r) {
    BulkOperationDescription& o = r.operation;
    o.summary = bulk_summary();
    o.table_name = name();
    o.table_id = text();
    o.client_token = maybe(text());
    o.source = bucket_source();
    o.format = one_of({InputFormat::kIon, InputFormat::kDynamoDbJson});
    o.compression = compression();
    o.output = bulk_output();
    o.processed_items = units();
    o.failed_items = units();
    o.processed_bytes = units();
    o.total_bytes = maybe(units());
    o.usage.table_name = name();
    o.usage.table_bytes = units();
    if (flag()) o.usage.local_indexes = {{"local", units()}};
    if (flag()) o.usage.global_indexes = {{"one", units()}, {"two", units()}};
    if (flag()) o.failure_code = "Cancelled";
    if (!o.failure_code.empty()) o.failure_message = text();
    o.write_units_max = maybe(units());
    o.tier = one_of({PerformanceTier::kStandard, PerformanceTier::kAccelerated});
  }
  void fill(ListBulkOperationsResponse& r) {
    r.operations = some<BulkOperationSummary>([&] { return bulk_summary(); });
    r.next_token = maybe(text());
  }
  void fill(CancelBulkOperationResponse& r) { r.arn = bulk_arn(); }
  ContributorInsightsSummary insights() {
    using enum ContributorInsightsStatus;
    return {.table_name = name(),
            .index_name = maybe(name()),
            .status = one_of({kEnabling, kEnabled, kDisabling, kDisabled, kFailed}),
            .mode = maybe(one_of({InsightsMode::kAccessedAndThrottledKeys, InsightsMode::kThrottledKeys}))};
  }
  void fill(UpdateContributorInsightsResponse& r) { r = insights(); }
  void fill(DescribeContributorInsightsResponse& r) {
    r.summary = insights();
    if (flag()) r.rules = names();
    r.updated_ms = maybe(time_ms());
  }
  void fill(ListContributorInsightsResponse& r) {
    r.summaries = some<ContributorInsightsSummary>([&] { return insights(); });
    r.next_token = maybe(text());
  }
  std::vector<GlobalTableReplica> replicas() {
    return some<GlobalTableReplica>([&] { return GlobalTableReplica{.region = text(), .status = "ACTIVE"}; });
  }
  void fill(GlobalTableResponse& r) {
    r.global_table = {.name = name(), .arn = arn(), .status = text(), .created_ms = time_ms(), .replicas = replicas()};
  }
  void fill(GlobalTableSettingsResponse& r) {
    r.global_table_name = name();
    r.replicas = replicas();
  }
  void fill(ListGlobalTablesResponse& r) {
    using Entry = ListGlobalTablesResponse::Entry;
    r.global_tables = some<Entry>([&] { return Entry{.name = name(), .regions = names()}; });
    r.last_evaluated_global_table_name = maybe(name());
  }
  KinesisDestinationStatus kinesis_status() {
    using enum KinesisDestinationStatus;
    return one_of({kEnabling, kActive, kDisabling, kDisabled, kEnableFailed, kUpdating});
  }
  void fill(KinesisDestinationResponse& r) {
    r.table_name = name();
    r.stream_arn = kinesis_arn();
    r.status = kinesis_status();
    r.precision = precision();
  }
  void fill(DescribeKinesisStreamingDestinationResponse& r) {
    using Destination = DescribeKinesisStreamingDestinationResponse::Destination;
    r.table_name = name();
    r.destinations = some<Destination>([&] {
      return Destination{.stream_arn = kinesis_arn(),
                         .status = kinesis_status(),
                         .status_description = maybe(text()),
                         .precision = precision()};
    });
  }
  void fill(TableReplicaAutoScalingResponse& r) {
    r.table_name = name();
    r.table_status = one_of({Status::kActive, Status::kUpdating});
    r.replicas = some<ReplicaAutoScaling>([&] { return ReplicaAutoScaling{.region = text(), .status = "ACTIVE"}; });
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
  void fill(PutResourcePolicyResponse& r) { r.revision_id = text(); }
  void fill(GetResourcePolicyResponse& r) {
    r.policy = text();
    r.revision_id = text();
  }
  void fill(DeleteResourcePolicyResponse& r) { r.revision_id = maybe(text()); }
  void fill(TagResourceResponse&) {}
  void fill(UntagResourceResponse&) {}
  void fill(ListTagsOfResourceResponse& r) {
    r.tags = tags();
    r.next_token = maybe(text());
  }
  void fill(DescribeLimitsResponse& r) { r = {units(), units(), units(), units()}; }
};

}  // namespace trestle
