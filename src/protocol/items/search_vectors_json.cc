#include "protocol/shapes/by_hand.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/limits.h"
#include "model/shapes/vector_shapes.h"
#include "model/table.h"
#include "protocol/json/attribute_value_json.h"
#include "protocol/shapes/particular_values.h"
#include "protocol/shapes/shape_reader.h"
#include "protocol/validation/constraints.h"
#include "protocol/validation/placeholders_json.h"

namespace trestle {
namespace {

// The members that are not read by the shape of the request.
struct SearchVectorsMembers {
  std::optional<std::string_view> return_consumed_capacity;
  Noted<std::vector<Value>> search_vector;
  UncheckedPlaceholders placeholders{ValueWording::kCurrent};
};

Result<void> read_search_vectors_members(JsonInput input, SearchVectorsMembers& members,
                                         SearchVectorsRequest& request) {
  const ValueReader values(ValueWording::kCurrent);
  for (const JsonMember member : input) {
    if (member.name == "ReturnConsumedCapacity") {
      TRY_INTO(members.return_consumed_capacity, json_string(member.value));
    } else if (member.name == "SearchVector") {
      TRY_INTO(members.search_vector, values.values(member.value));
    } else {
      TRY_INTO(const bool is_placeholders, members.placeholders.take(member));
      if (!is_placeholders) TRY(read_member(member, request));
    }
  }
  return {};
}

// SearchVectors is read by a strict deserializer, which rejects a required member that is null or missing before it
// validates any value, and reports its position. Positions count characters of the request as SDKs write it, without
// blanks.
Result<void> check_required_members(simdjson::dom::object body) {
  struct Required {
    std::string_view name;
    std::string_view expected;
  };
  constexpr Required kRequired[] = {
      {"TableName", "a string"}, {"IndexName", "a string"}, {"SearchVector", "a sequence"}, {"TopK", "i32"}};
  size_t column = 1;  // after the brace
  std::vector<std::string_view> present;
  for (const auto field : body) {
    if (column > 1) ++column;  // after a comma
    column += field.key.size() + 3 + simdjson::minify(field.value).size();
    for (const Required& required : kRequired) {
      if (required.name != field.key) continue;
      if (field.value.is_null()) {
        return failure(ErrorCode::kSerialization,
                       fmt::format("invalid type: null, expected {} at line 1 column {}", required.expected, column));
      }
      present.push_back(field.key);
    }
  }
  for (const Required& required : kRequired) {
    if (std::ranges::find(present, required.name) != present.end()) continue;
    return invalid(fmt::format("missing field `{}` at line 1 column {}", required.name, column + 1));
  }
  return {};
}

// DynamoDB reports a name that is too short, and an empty vector, without showing the value.
void constrain_unshown_length(size_t length, std::string_view member, size_t min, size_t max,
                              Constraints& constraints) {
  const auto violated = [&](std::string_view bound, size_t limit) {
    std::string message = "Value at '";
    message.append(member).append("' failed to satisfy constraint: Member must have length ").append(bound);
    constraints.violated_as(message + std::to_string(limit));
  };
  if (length < min) violated("greater than or equal to ", min);
  if (length > max) violated("less than or equal to ", max);
}

}  // namespace

// The engine validates expressions; the elements of the search vector are checked when the index is known.
Result<SearchVectorsRequest> read_request_by_hand(JsonInput input, Of<SearchVectorsRequest>) {
  TRY(check_required_members(input.object()));
  SearchVectorsMembers members;
  SearchVectorsRequest request;
  TRY(read_search_vectors_members(input, members, request));

  Constraints constraints;
  constraints.table_name_or_arn(request.table_name, "tableName");
  constrain_unshown_length(request.index_name.size(), "IndexName", kNameLengthMin, kNameLengthMax, constraints);
  constrain_unshown_length(members.search_vector.value.size(), "SearchVector", 1, SIZE_MAX, constraints);
  constraints.value_at_least(request.top_k, "topK", 1);
  constraints.one_of(members.return_consumed_capacity, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  TRY(constraints.check());

  TRY(members.placeholders.check_combination(
      {}, {{"ProjectionExpression", request.projection_expression.has_value()},
           {"SearchConditionExpression", request.search_condition_expression.has_value()}}));
  if (members.search_vector.fault) return invalid(*members.search_vector.fault);
  TRY(members.placeholders.check());

  request.table_name = std::string(*table_name_of(request.table_name));
  request.search_vector = std::move(members.search_vector.value);
  request.placeholders = members.placeholders.release();
  return request;
}

}  // namespace trestle
