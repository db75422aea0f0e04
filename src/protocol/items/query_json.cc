#include "protocol/shapes/by_hand.h"

#include "model/shapes/item_enumerations.h"
#include "model/table.h"
#include "protocol/validation/page_members.h"

namespace trestle {
namespace {

struct QueryMembers : PageMembers {
  QueryMembers() : PageMembers(ValueWording::kCurrent, "QueryFilter") {}
  std::optional<std::string_view> key_condition_expression;
  std::optional<GivenConditions> key_conditions;
};

// The older layer validates a Query that the current one cannot read, and checks all members together.
Result<void> constrain_older(QueryMembers& given, QueryRequest& request) {
  Constraints constraints;
  constraints.one_of(given.select_text, "select", kSelects, request.select);
  constraints.index_name(given.index_name, "indexName");
  constraints.one_of(given.return_consumed_capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  constrain_conditions(given.filter, "queryFilter", true, constraints);
  constraints.not_null(given.table_name.has_value(), "tableName");
  constraints.table_name_or_arn(given.table_name, "tableName");
  constraints.one_of(given.conditional_operator_text, "conditionalOperator", kConditionalOperators,
                     request.conditional_operator);
  given.projection.constrain("attributesToGet", constraints);
  constraints.value_at_least(given.limit, "limit", 1);
  constrain_conditions(given.key_conditions, "keyConditions", true, constraints);
  return constraints.check();
}

Result<void> constrain_current(QueryMembers& given, QueryRequest& request) {
  constexpr std::string_view kEnvelope = "1 validation error detected: ";
  if (given.table_name->empty()) {
    return invalid(
        std::string(kEnvelope) +
        "Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1");
  }
  Constraints unread;
  unread.one_of(given.conditional_operator_text, "conditionalOperator", kConditionalOperators,
                request.conditional_operator);
  if (unread.any()) {
    TRY(given.check_conditional_operator());
    return invalid("Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]");
  }
  if (given.limit && *given.limit < 1) {
    return invalid(std::string(kEnvelope) +
                   "Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1");
  }
  Constraints constraints;
  constraints.one_of(given.return_consumed_capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  constraints.one_of(given.select_text, "select", kSelects, request.select);
  constraints.index_name(given.index_name, "indexName");
  constrain_conditions(given.filter, "queryFilter", true, constraints);
  given.projection.constrain("attributesToGet", constraints);
  constrain_conditions(given.key_conditions, "keyConditions", true, constraints);
  return constraints.check();
}

// KeyConditions belongs to the expressions here; it conflicts only with the expression that replaced it.
Result<void> check_company_of_query(const QueryMembers& given) {
  const bool doubled = given.key_conditions && given.key_condition_expression;
  return given.placeholders.check_company({{"AttributesToGet", given.projection.attributes.has_value()},
                                           {"QueryFilter", given.filter.has_value()},
                                           {"ConditionalOperator", given.conditional_operator_text.has_value()},
                                           {"KeyConditions", doubled}},
                                          {{"ProjectionExpression", given.projection.expression.has_value()},
                                           {"FilterExpression", given.filter_expression.has_value()},
                                           {"KeyConditionExpression", given.key_condition_expression.has_value()}});
}

}  // namespace

// The line to the engine is the first expression.
Result<QueryRequest> read_request_by_hand(JsonInput input, Of<QueryRequest>) {
  QueryMembers given;
  QueryRequest request;
  for (const JsonMember member : input) {
    if (member.name == "KeyConditionExpression") {
      TRY_INTO(given.key_condition_expression, json_string(member.value));
    } else if (member.name == "KeyConditions") {
      TRY_INTO(given.key_conditions, read_conditions(member.value, given.values));
    } else if (member.name == "ScanIndexForward") {
      TRY_INTO(request.scan_index_forward, json_boolean(member.value));
    } else {
      TRY(given.take(member));
    }
  }

  const bool readable = given.table_name && (given.table_name->empty() || table_name_of(*given.table_name));
  TRY(readable ? constrain_current(given, request) : constrain_older(given, request));

  TRY(check_company_of_query(given));
  TRY(given.check_conditional_operator());
  if (given.filter) {
    TRY_INTO(request.legacy_filter, check_conditions(std::move(*given.filter)));
  }
  TRY(given.projection.check());
  TRY(given.check_start_key());
  if (!given.key_conditions && !given.key_condition_expression) {
    return invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.");
  }
  TRY(given.check_select(request, "Query"));
  TRY(given.placeholders.check());
  if (given.key_conditions) {
    const size_t count = given.key_conditions->size();
    TRY_INTO(request.key_conditions, check_conditions(std::move(*given.key_conditions)));
    if (count == 0) return invalid("Conditions can be of length 1 or 2 only");
  }
  request.key_condition_expression = given.key_condition_expression;
  given.release(request);
  return request;
}

}  // namespace trestle
