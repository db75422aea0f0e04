// For tests: random responses with every kind of member; requests are in
// random_requests_for_test.h.
#pragma once

#include "protocol/shapes/random_requests_for_test.h"

namespace trestle {

class Maker : public RequestMaker {
 public:
  using RequestMaker::adjust;
  using RequestMaker::fill_value;
  using RequestMaker::RequestMaker;

  template <Shaped T>
  void fill(T& out) {
    fill_shape<Shape<T>>(*this, out);
  }
  template <Shaped T>
  T filled() {
    T out;
    fill(out);
    return out;
  }
  void fill_value(KeySchema& out) { out = key(); }

  void fill_value(ConsumedCapacity& out) {
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
  }
  void fill_value(ItemCollectionMetrics& out) { out = {.collection_key = item(), .size_gb_low = 1, .size_gb_high = 2}; }
  void fill_value(Error& out) {
    out = {.code = one_of({ErrorCode::kValidation, ErrorCode::kThrottling, ErrorCode::kResourceNotFound,
                           ErrorCode::kConditionalCheckFailed, ErrorCode::kInternal}),
           .message = text()};
  }
  void adjust(PageResponse& r) {
    r.items_returned = flag();
    if (!r.items_returned) r.items = {};
  }
  KeySchema key() {
    KeySchema out;
    out.hash = {{.name = "pk", .type = ValueType::kString}};
    if (flag()) out.range = {{.name = "sk", .type = ValueType::kString}};
    return out;
  }
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
  std::vector<KeyAttribute> attributes() {
    return {{.name = "pk", .type = ValueType::kString},
            {.name = "sk", .type = one_of({ValueType::kNumber, ValueType::kBinary})}};
  }
  ThroughputLimits limits() { return {.read_units = maybe(units()), .write_units = maybe(units())}; }
  Throughput throughput() { return {.read_units = units(), .write_units = units()}; }
  VectorIndexDescription described_vector_index() {
    VectorIndexDescription out;
    const auto result = filled<VectorIndexDefinition>();
    out.name = result.index_name;
    out.vector_attribute = result.vector_attribute;
    out.dimensions = result.dimensions;
    out.distance = result.distance;
    for (const SearchSchemaElement& element : result.search_schema.value_or(std::vector<SearchSchemaElement>{})) {
      out.search_schema.push_back({.attribute = {.name = element.attribute_name}, .is_hash = element.is_hash});
    }
    out.projection.type = result.projection_type.value_or(ProjectionType::kAll);
    if (out.projection.type == ProjectionType::kInclude) out.projection.non_key_attributes = names();
    out.status = one_of({Status::kActive, Status::kCreating, Status::kDeleting});
    out.backfilling = maybe(flag());
    out.item_count = units();
    out.size_bytes = units();
    out.arn = arn();
    return out;
  }
  void fill_value(TableDescription& t) {
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
    if (flag()) t.restore = RestoreSummary{arn(), arn(), time_ms()};
    if (flag()) t.stream_label = "2026-01-31T12:00:00.000";
    t.item_count = units();
    t.size_bytes = units();
  }
  void fill(BackupResponse& r) {
    fill(r.backup.details);
    fill_value(r.backup.table);
    r.backup.table.ttl_attribute = maybe(text());
  }
  void fill(DescribeTimeToLiveResponse& r) {
    r.attribute_name = maybe(text());
    r.enabling = r.attribute_name && flag();
  }
};

}  // namespace trestle
