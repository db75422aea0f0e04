// Random requests and responses with every kind of member, for tests of the two directions. The same seed makes the
// same.
#pragma once

#include "protocol/shapes/random_item_requests.h"
#include "protocol/shapes/random_shape.h"

namespace trestle {

class RequestMaker : public ItemRequestMaker {
 public:
  using ItemRequestMaker::fill;
  using ItemRequestMaker::ItemRequestMaker;

  template <Shaped T>
  void fill(T& out) {
    fill_shape(*this, out);
  }
  template <Shaped T>
  T filled() {
    T out;
    fill_shape(*this, out);
    return out;
  }
  void fill_value(Value& out) { out = value(); }
  void fill_value(ValueMap& out) { out = {{":a", value()}, {":b", value()}}; }
  void fill_value(NameMap& out) { out = name_map(); }

  // ---- Requests with a check that rules cannot express.

  void fill(CreateTableRequest& r) {
    fill_shape(*this, r);
    r.resource_policy = maybe(resource_policy());
  }
  void fill(RestoreTableToPointInTimeRequest& r) {
    fill_shape(*this, r);
    r.source_table_arn.reset();
    r.source_table_name.reset();
    if (flag()) {
      r.source_table_arn = arn();
    } else {
      r.source_table_name = name();
    }
  }
  void fill(PutResourcePolicyRequest& r) {
    fill_shape(*this, r);
    r.policy = resource_policy();
  }
  void fill(GetShardIteratorRequest& r) {
    fill_shape(*this, r);
    const bool at_number =
        r.type == ShardIteratorType::kAtSequenceNumber || r.type == ShardIteratorType::kAfterSequenceNumber;
    r.sequence_number.reset();
    if (at_number) r.sequence_number = "000000000000000000000123";
  }

  // ---- Requests that are read by hand.

  ThroughputLimits limits() { return {.read_units = maybe(units()), .write_units = maybe(units())}; }
  Throughput throughput() { return {.read_units = units(), .write_units = units()}; }
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
  std::vector<KeyAttribute> attributes() {
    return {{.name = "pk", .type = ValueType::kString},
            {.name = "sk", .type = one_of({ValueType::kNumber, ValueType::kBinary})}};
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
    if (flag()) r.period = filled<ExportPeriod>();
    if (flag()) r.filter = export_filter();
  }
  // In canonical form.
  std::string resource_policy() {
    return R"({"Version":"2012-10-17","Statement":[{"Sid":"a","Effect":"Allow",)"
           R"("Principal":{"AWS":"arn:aws:iam::000000000000:user/u"},"Action":"dynamodb:GetItem","Resource":")" +
           arn() + R"("}]})";
  }
};

}  // namespace trestle
