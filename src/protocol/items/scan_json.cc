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

// Scan is validated by DynamoDB's older layer: all members together, values in the older wording. The engine validates
// everything from the first expression on.
Result<ScanRequest> read_request_by_hand(JsonInput input, Of<ScanRequest>) {
  PageMembers members(ValueWording::kOlder, "ScanFilter");
  ScanRequest request;
  for (const JsonMember member : input) {
    if (member.name == "Segment") {
      TRY_INTO(request.segment, json_integer(member.value, "Integer"));
    } else if (member.name == "TotalSegments") {
      TRY_INTO(request.total_segments, json_integer(member.value, "Integer"));
    } else {
      TRY(members.take(member));
    }
  }

  constexpr auto kSegmentsMax = static_cast<int64_t>(kScanSegmentsMax);
  Constraints constraints;
  constraints.one_of(members.select_text, "select", kSelects, request.select);
  constraints.index_name(members.index_name, "indexName");
  constraints.value_at_least(request.total_segments, "totalSegments", 1);
  constraints.value_at_most(request.total_segments, "totalSegments", kSegmentsMax);
  constraints.one_of(members.return_consumed_capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  constraints.not_null(members.table_name.has_value(), "tableName");
  constraints.table_name_or_arn(members.table_name, "tableName");
  constraints.one_of(members.conditional_operator_text, "conditionalOperator", kConditionalOperators,
                     request.conditional_operator);
  constrain_conditions(members.filter, "scanFilter", true, constraints);
  constraints.value_at_least(request.segment, "segment", 0);
  constraints.value_at_most(request.segment, "segment", kSegmentsMax - 1);
  constraints.value_at_least(members.limit, "limit", 1);
  members.projection.constrain("attributesToGet", constraints);
  TRY(constraints.check());

  TRY(members.placeholders.check_combination({{"AttributesToGet", members.projection.attributes.has_value()},
                                              {"ScanFilter", members.filter.has_value()},
                                              {"ConditionalOperator", members.conditional_operator_text.has_value()}},
                                             {{"ProjectionExpression", members.projection.expression.has_value()},
                                              {"FilterExpression", members.filter_expression.has_value()}}));
  TRY(members.projection.check());
  const Result<void> conditional_operator = members.check_conditional_operator();
  if (members.filter) {
    TRY_INTO(request.legacy_filter, check_conditions(std::move(*members.filter)));
  }
  TRY(conditional_operator);
  TRY(members.check_start_key());
  TRY(check_segments(request));
  TRY(members.check_select(request, "Scan"));
  TRY(members.placeholders.check());
  members.release(request);
  return request;
}

}  // namespace trestle
