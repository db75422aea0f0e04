#include "model/shapes/export_shapes.h"
#include "protocol/shapes/by_hand.h"
#include "protocol/shapes/particular_values.h"
#include "protocol/shapes/shape_constraints.h"
#include "protocol/shapes/shape_reader.h"
#include "protocol/validation/placeholders_json.h"

namespace trestle {
namespace {

// A filter whose names and values have been read, but not checked.
struct UncheckedFilter {
  ExportFilter filter;
  UncheckedPlaceholders placeholders{ValueWording::kCurrent};
};

Result<UncheckedFilter> read_filter(JsonElement json) {
  UncheckedFilter unchecked;
  TRY_INTO(const JsonInput members, json_structure(json, Shape<ExportFilter>::kType, JsonPlace::kMember));
  for (const JsonMember member : members) {
    TRY_INTO(const bool taken, unchecked.placeholders.take(member));
    if (!taken) TRY(read_member(member, unchecked.filter));
  }
  return unchecked;
}

Result<ExportFilter> checked(UncheckedFilter unchecked) {
  ExportFilter& filter = unchecked.filter;
  const auto check = [&]() -> Result<void> {
    TRY(unchecked.placeholders.check_combination(
        {}, {{"ProjectionExpression", filter.projection_expression.has_value()},
             {"FilterExpression", filter.filter_expression.has_value()},
             {"KeyConditionExpression", filter.key_condition_expression.has_value()}}));
    return unchecked.placeholders.check();
  };
  if (const auto checked = check(); !checked.has_value()) {
    return invalid("Invalid Request: Invalid FilterSpecification: " + checked.error().message);
  }
  filter.placeholders = unchecked.placeholders.release();
  if (!filter.filter_expression && !filter.projection_expression && !filter.key_condition_expression) {
    return invalid("Invalid Request: Invalid FilterSpecification: The specification can not be empty");
  }
  return std::move(filter);
}

}  // namespace

// The filter is read by hand, because DynamoDB reports its faulty values after the constraints.
Result<ExportTableToPointInTimeRequest> read_request_by_hand(JsonInput input, Of<ExportTableToPointInTimeRequest>) {
  ExportTableToPointInTimeRequest request;
  std::optional<UncheckedFilter> filter;
  for (const JsonMember member : input) {
    if (member.name == "FilterSpecification") {
      TRY_INTO(filter, read_filter(member.value));
    } else {
      TRY(read_member(member, request));
    }
  }
  TRY(check_shape_constraints<ExportTableToPointInTimeRequest>(input));
  if (filter) {
    TRY_INTO(request.filter, checked(std::move(*filter)));
  }
  return request;
}

}  // namespace trestle
