// Random requests and responses with every kind of member, for tests of the two directions. The same seed makes the
// same.
#pragma once

#include "protocol/random_item_requests.h"

namespace trestle {

class RequestMaker : public ItemRequestMaker {
 public:
  using ItemRequestMaker::fill;
  using ItemRequestMaker::ItemRequestMaker;

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
  VectorIndexDefinition vector_index() {
    VectorIndexDefinition out;
    out.index_name = name();
    out.vector_attribute = text();
    out.dimensions = units();
    out.distance = one_of({DistanceFunction::kCosine, DistanceFunction::kDotProduct, DistanceFunction::kEuclidean});
    if (flag()) {
      out.search_schema =
          some<SearchSchemaElement>([&] { return SearchSchemaElement{.attribute_name = name(), .is_hash = flag()}; });
    }
    out.projection_type = one_of({ProjectionType::kAll, ProjectionType::kInclude, ProjectionType::kKeysOnly});
    if (out.projection_type == ProjectionType::kInclude) out.non_key_attributes = names();
    return out;
  }
  void fill(SearchVectorsRequest& r) {
    r.table_name = name();
    r.index_name = name();
    r.search_vector = some<Value>([&] { return value(); });
    r.top_k = units();
    r.search_condition_expression = "#a = :a";
    r.projection_expression = maybe(std::string("#b"));
    r.placeholders = placeholders();
    r.return_consumed_capacity = capacity_asked();
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
    if (flag()) r.vector_indexes = some<VectorIndexDefinition>([&] { return vector_index(); });
    if (flag()) r.local_indexes = some<IndexDefinition>([&] { return index(false); });
    if (flag()) r.global_indexes = some<IndexDefinition>([&] { return index(true); });
    r.tags = maybe(tags());
    r.resource_policy = maybe(resource_policy());
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
    if (flag()) {
      r.vector_index_updates = some<VectorIndexUpdate>([&] {
        if (flag()) return VectorIndexUpdate{.is_delete = true, .index = {.index_name = name()}};
        return VectorIndexUpdate{.is_delete = false, .index = vector_index()};
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
  std::string export_arn() { return arn() + "/export/01791506414432-3f2e5aa4"; }
  ExportPeriod export_period() {
    return {.from_ms = maybe(time_ms()), .to_ms = maybe(time_ms()), .view = maybe(ExportViewType::kNewImage)};
  }
  ExportFilter export_filter() {
    ExportFilter filter;
    filter.filter_expression = "#a = :a";
    filter.projection_expression = maybe(std::string("#a, b"));
    filter.key_condition_expression = maybe(std::string("#b = :b"));
    filter.placeholders = placeholders();
    return filter;
  }
  void fill(ExportTableToPointInTimeRequest& r) {
    r.table_arn = arn();
    r.s3_bucket = "bucket-" + std::to_string(below(1000));
    r.export_ms = maybe(time_ms());
    r.client_token = maybe(text());
    r.s3_bucket_owner = maybe(std::string("000000000000"));
    r.s3_prefix = maybe(text());
    r.sse_algorithm = maybe(S3SseAlgorithm::kKms);
    r.sse_kms_key_id = maybe(text());
    r.format = maybe(one_of({ExportFormat::kDynamoDbJson, ExportFormat::kIon}));
    r.type = maybe(one_of({ExportType::kFull, ExportType::kIncremental}));
    if (flag()) r.period = export_period();
    if (flag()) r.filter = export_filter();
  }
  void fill(DescribeExportRequest& r) { r.export_arn = export_arn(); }
  void fill(ListExportsRequest& r) {
    r.table_arn = maybe(arn());
    r.max_results = maybe<int64_t>(7);
    r.next_token = maybe(text());
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
    if (flag()) out.vector_indexes = some<VectorIndexDefinition>([&] { return vector_index(); });
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
  BucketSource bucket_source() {
    return {.owner = maybe(std::string("123456789012")), .bucket = "a-bucket", .prefix = maybe(text())};
  }
  InputCompression compression() {
    return one_of({InputCompression::kNone, InputCompression::kGzip, InputCompression::kZstd});
  }
  CreateTableRequest creation_parameters() {
    CreateTableRequest out;
    out.table_name = name();
    out.attribute_definitions = attributes();
    out.key_schema = key_schema();
    out.billing_mode = maybe(one_of({BillingMode::kProvisioned, BillingMode::kPayPerRequest}));
    out.throughput = maybe(throughput());
    out.on_demand = maybe(limits());
    if (flag()) out.sse = SseSpecification{.enabled = maybe(flag()), .type = flag() ? "KMS" : "", .key_id = arn()};
    if (flag()) out.global_indexes = some<IndexDefinition>([&] { return index(true); });
    return out;
  }
  void fill(ImportTableRequest& r) {
    r.client_token = "token";
    r.source = bucket_source();
    r.format = one_of({InputFormat::kCsv, InputFormat::kIon, InputFormat::kDynamoDbJson});
    if (flag()) r.csv = CsvOptions{.delimiter = maybe(std::string(";")), .header_list = maybe(names())};
    r.compression = compression();
    r.table = creation_parameters();
  }
  std::string import_arn() { return arn() + "/import/01791526119669-fd87be64"; }
  std::string bulk_arn() { return arn() + "/bulk-operation/01791526119669-fd87be64"; }
  void fill(DescribeImportRequest& r) { r.import_arn = import_arn(); }
  void fill(ListImportsRequest& r) {
    r.table_arn = maybe(arn());
    r.page_size = maybe<int64_t>(25);
    r.next_token = maybe(std::string(112, 'a'));
  }
  BulkOutputConfiguration bulk_output() {
    return {.owner = maybe(std::string("123456789012")),
            .bucket = "b-bucket",
            .prefix = maybe(text()),
            .sse_algorithm = maybe(std::string("AES256")),
            .sse_key_id = maybe(text()),
            .output_types = {BulkOutput::kError, BulkOutput::kConditionCheckFailure}};
  }
  void fill(StartBulkPutItemsRequest& r) {
    r.client_token = maybe(std::string("token"));
    r.source = bucket_source();
    r.format = one_of({InputFormat::kIon, InputFormat::kDynamoDbJson});
    r.compression = maybe(compression());
    r.output = bulk_output();
    r.table_name = name();
    r.write_units_max = maybe<int64_t>(5000);
    r.tier = maybe(one_of({PerformanceTier::kStandard, PerformanceTier::kAccelerated}));
  }
  void fill(DescribeBulkOperationRequest& r) { r.arn = bulk_arn(); }
  void fill(CancelBulkOperationRequest& r) { r.arn = bulk_arn(); }
  void fill(ListBulkOperationsRequest& r) {
    r.limit = maybe<int64_t>(10);
    r.next_token = maybe(text());
  }
  void fill(UpdateTimeToLiveRequest& r) {
    r.table_name = name();
    r.attribute_name = text();
    r.enabled = flag();
  }
  // In canonical form.
  std::string resource_policy() {
    return R"({"Version":"2012-10-17","Statement":[{"Sid":"a","Effect":"Allow",)"
           R"("Principal":{"AWS":"arn:aws:iam::000000000000:user/u"},"Action":"dynamodb:GetItem","Resource":")" +
           arn() + R"("}]})";
  }
  void fill(PutResourcePolicyRequest& r) {
    r.resource_arn = arn();
    r.policy = resource_policy();
    r.expected_revision_id = maybe(text());
    r.confirm_remove_self_resource_access = flag();
  }
  void fill(GetResourcePolicyRequest& r) { r.resource_arn = arn(); }
  void fill(DeleteResourcePolicyRequest& r) {
    r.resource_arn = arn();
    r.expected_revision_id = maybe(text());
  }
  void fill(UpdateContributorInsightsRequest& r) {
    r.table_name = name();
    r.index_name = maybe(name());
    r.enable = flag();
    r.mode = maybe(one_of({InsightsMode::kAccessedAndThrottledKeys, InsightsMode::kThrottledKeys}));
  }
  void fill(DescribeContributorInsightsRequest& r) {
    r.table_name = name();
    r.index_name = maybe(name());
  }
  void fill(ListContributorInsightsRequest& r) {
    r.table_name = maybe(name());
    r.next_token = maybe(text());
    r.max_results = maybe<int64_t>(7);
  }
  void fill(CreateGlobalTableRequest& r) {
    r.global_table_name = name();
    r.regions = names();
  }
  void fill(UpdateGlobalTableRequest& r) {
    using Update = UpdateGlobalTableRequest::ReplicaUpdate;
    r.global_table_name = name();
    r.replica_updates = some<Update>([&] { return Update{.is_create = flag(), .region = text()}; });
  }
  void fill(DescribeGlobalTableRequest& r) { r.global_table_name = name(); }
  void fill(DescribeGlobalTableSettingsRequest& r) { r.global_table_name = name(); }
  void fill(ListGlobalTablesRequest& r) {
    r.exclusive_start_global_table_name = maybe(name());
    r.limit = maybe(units());
    r.region = maybe(text());
  }
  void fill(UpdateGlobalTableSettingsRequest& r) {
    r.global_table_name = name();
    r.billing_mode = maybe(one_of({BillingMode::kProvisioned, BillingMode::kPayPerRequest}));
    r.write_units = maybe(units());
  }
  std::optional<CreationTimePrecision> precision() {
    return maybe(one_of({CreationTimePrecision::kMillisecond, CreationTimePrecision::kMicrosecond}));
  }
  std::string kinesis_arn() { return "arn:aws:kinesis:us-east-1:000000000000:stream/" + name(); }
  void fill(KinesisDestinationRequest& r) {
    r.table_name = name();
    r.stream_arn = kinesis_arn();
    r.precision = precision();
  }
  void fill(DescribeKinesisStreamingDestinationRequest& r) { r.table_name = name(); }
  void fill(DescribeTableReplicaAutoScalingRequest& r) { r.table_name = name(); }
  void fill(UpdateTableReplicaAutoScalingRequest& r) { r.table_name = name(); }
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
};

}  // namespace trestle
