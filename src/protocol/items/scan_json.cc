#include "protocol/shapes/by_hand.h"

#include "model/limits.h"
#include "model/shapes/item_enumerations.h"
#include "protocol/validation/page_members.h"

namespace trestle {
namespace {

Result<void> check_segments(const ScanRequest& request) {
  if (request.segment && !request.total_segments) {
    return invalid(
        "The TotalSegments parameter is required but was not present in the request when Segment parameter "
        "is present");
  }
  if (!request.total_segments) return {};
  if (!request.segment) {
    return invalid(
        "The Segment parameter is required but was not present in the request when parameter TotalSegments "
        "is present");
  }
  if (*request.segment < *request.total_segments) return {};
  return invalid("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: " +
                 std::to_string(*request.segment) +
                 " is not less than TotalSegments: " + std::to_string(*request.total_segments));
}

}  // namespace

// Scan is validated by DynamoDB's older layer: all members together, values in the older wording. The line to the
// engine is the first expression.
Result<ScanRequest> read_request_by_hand(JsonInput input, Of<ScanRequest>) {
  PageMembers given(ValueWording::kOlder, "ScanFilter");
  ScanRequest request;
  for (const JsonMember member : input) {
    if (member.name == "Segment") {
      TRY_INTO(request.segment, json_integer(member.value, "Integer"));
    } else if (member.name == "TotalSegments") {
      TRY_INTO(request.total_segments, json_integer(member.value, "Integer"));
    } else {
      TRY(given.take(member));
    }
  }

  constexpr auto kSegmentsMax = static_cast<int64_t>(kScanSegmentsMax);
  Constraints constraints;
  constraints.one_of(given.select_text, "select", kSelects, request.select);
  constraints.index_name(given.index_name, "indexName");
  constraints.value_at_least(request.total_segments, "totalSegments", 1);
  constraints.value_at_most(request.total_segments, "totalSegments", kSegmentsMax);
  constraints.one_of(given.return_consumed_capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  constraints.not_null(given.table_name.has_value(), "tableName");
  constraints.table_name_or_arn(given.table_name, "tableName");
  constraints.one_of(given.conditional_operator_text, "conditionalOperator", kConditionalOperators,
                     request.conditional_operator);
  constrain_conditions(given.filter, "scanFilter", true, constraints);
  constraints.value_at_least(request.segment, "segment", 0);
  constraints.value_at_most(request.segment, "segment", kSegmentsMax - 1);
  constraints.value_at_least(given.limit, "limit", 1);
  given.projection.constrain("attributesToGet", constraints);
  TRY(constraints.check());

  TRY(given.placeholders.check_company({{"AttributesToGet", given.projection.attributes.has_value()},
                                        {"ScanFilter", given.filter.has_value()},
                                        {"ConditionalOperator", given.conditional_operator_text.has_value()}},
                                       {{"ProjectionExpression", given.projection.expression.has_value()},
                                        {"FilterExpression", given.filter_expression.has_value()}}));
  TRY(given.projection.check());
  const Result<void> conditional_operator = given.check_conditional_operator();
  if (given.filter) {
    TRY_INTO(request.legacy_filter, check_conditions(std::move(*given.filter)));
  }
  TRY(conditional_operator);
  TRY(given.check_start_key());
  TRY(check_segments(request));
  TRY(given.check_select(request, "Scan"));
  TRY(given.placeholders.check());
  given.release(request);
  return request;
}

}  // namespace trestle
