// Random requests with every kind of member, to test the client's and the server's side of the protocol: what their
// shapes allow, adjusted where members depend on each other. The same seed produces the same requests.
#pragma once

#include "protocol/shapes/random_shape_for_test.h"
#include "protocol/shapes/random_values_for_test.h"

namespace trestle {

class RequestMaker : public RandomValues {
 public:
  using RandomValues::RandomValues;

  template <Shaped T>
  void fill(T& out) {
    fill_shape<Shape<T>>(*this, out);
  }

  // ---- Requests on items. Expressions are not combined with the legacy parameters that they replaced. Names are only
  // present with an expression, and values only with an expression that may use them.

  void adjust(ReadProjection& p) {
    if (p.attributes_to_get) p.attributes_to_get = names();
    if (p.expression) p.attributes_to_get.reset();
  }
  void adjust(WriteCondition& c) {
    if (c.expected) c.expected->push_back({.attribute = "d", .value = value(), .exists = maybe(true)});
    if (c.expression) c.expected.reset();
    if (!c.expected) c.conditional_operator.reset();
  }
  template <class Request>
  void adjust_write(Request& r) {
    r.return_values = one_of({ReturnValues::kNone, ReturnValues::kAllOld});
    if (!r.condition.expression) r.placeholders = {};
  }
  void adjust(PutItemRequest& r) { adjust_write(r); }
  void adjust(DeleteItemRequest& r) { adjust_write(r); }
  void adjust(UpdateItemRequest& r) {
    if (!r.update_expression && !r.condition.expression) {
      r.placeholders = {};
    } else {
      r.attribute_updates.reset();
      r.condition.expected.reset();
      r.condition.conditional_operator.reset();
    }
  }
  void adjust(GetItemRequest& r) {
    if (!r.projection.expression) r.names.reset();
  }
  void adjust(BatchGetTable& t) {
    if (!t.projection.expression) t.names.reset();
  }
  void adjust(BatchGetItemRequest& r) {
    const bool expressions = flag();
    for (BatchGetTable& table : r.tables) {
      if (expressions) {
        table.projection.attributes_to_get.reset();
      } else {
        table.projection.expression.reset();
        table.names.reset();
      }
    }
  }
  void adjust(BatchWriteItemRequest& r) {
    for (BatchWriteTable& table : r.tables) {
      if (table.writes.empty()) fill(table.writes.emplace_back());
    }
  }
  void adjust(TransactWrite& w) {
    if (w.kind == TransactWrite::Kind::kConditionCheck) w.condition.expression = text();
  }
  void adjust_page(PageRequest& r, bool expressions) {
    if (expressions) {
      r.projection.attributes_to_get.reset();
      r.legacy_filter.reset();
    } else {
      r.projection.expression.reset();
      r.filter_expression.reset();
      r.placeholders = {};
    }
    if (!r.legacy_filter) r.conditional_operator.reset();
    const bool projected = r.projection.expression || r.projection.attributes_to_get;
    if (projected != (r.select == Select::kSpecificAttributes)) r.select.reset();
    if (r.select == Select::kAllProjectedAttributes && !r.index_name) r.select.reset();
  }
  void adjust(QueryRequest& r) {
    if (!r.key_condition_expression && !r.key_conditions) r.key_condition_expression = text();
    if (r.key_condition_expression) r.key_conditions.reset();
    adjust_page(r, r.key_condition_expression.has_value());
  }
  void adjust(ScanRequest& r) {
    adjust_page(r, r.projection.expression || r.filter_expression);
    if (!r.filter_expression) r.placeholders.values.reset();
    if (!r.segment || !r.total_segments) {
      r.segment.reset();
      r.total_segments.reset();
    } else {
      r.total_segments = *r.segment + 1;
    }
  }
  void adjust(SearchVectorsRequest& r) {
    if (!r.search_condition_expression) r.placeholders.values.reset();
    if (!r.projection_expression && !r.search_condition_expression) r.placeholders.names.reset();
  }

  // ---- Other requests.

  void adjust(CreateTableRequest& r) { r.resource_policy = maybe(resource_policy()); }
  void adjust(RestoreTableToPointInTimeRequest& r) {
    r.source_table_arn.reset();
    r.source_table_name.reset();
    if (flag()) {
      r.source_table_arn = arn();
    } else {
      r.source_table_name = name();
    }
  }
  void adjust(PutResourcePolicyRequest& r) { r.policy = resource_policy(); }
  void adjust(GetShardIteratorRequest& r) {
    const bool at_number =
        r.type == ShardIteratorType::kAtSequenceNumber || r.type == ShardIteratorType::kAfterSequenceNumber;
    r.sequence_number.reset();
    if (at_number) r.sequence_number = "000000000000000000000123";
  }
  void adjust(DescribeStreamRequest& r) {
    if (r.limit) r.limit = 100;
  }
  void adjust(ExportFilter& f) {
    if (!f.projection_expression && !f.key_condition_expression) f.filter_expression = text();
    if (!f.filter_expression && !f.key_condition_expression) f.placeholders.values.reset();
  }

  // A policy in canonical form.
  std::string resource_policy() {
    return R"({"Version":"2012-10-17","Statement":[{"Sid":"a","Effect":"Allow",)"
           R"("Principal":{"AWS":"arn:aws:iam::000000000000:user/u"},"Action":"dynamodb:GetItem","Resource":")" +
           arn() + R"("}]})";
  }
};

}  // namespace trestle
