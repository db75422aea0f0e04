#include "protocol/shapes/by_hand.h"

#include "model/shapes/item_enumerations.h"
#include "model/table.h"
#include "protocol/validation/page_members.h"

namespace trestle {
namespace {

struct QueryMembers : PageMembers {
  QueryMembers() : PageMembers(ValueWording::kCurrent, "QueryFilter") {}
  std::optional<std::string_view> key_condition_expression;
  std::optional<UncheckedConditions> key_conditions;
};

// The older layer validates a Query that the current one cannot read. It checks all members together.
Result<void> constrain_older(QueryMembers& members, QueryRequest& request) {
  Constraints constraints;
  constraints.one_of(members.select_text, "select", kSelects, request.select);
  constraints.index_name(members.index_name, "indexName");
  constraints.one_of(members.return_consumed_capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  constrain_conditions(members.filter, "queryFilter", true, constraints);
  constraints.not_null(members.table_name.has_value(), "tableName");
  constraints.table_name_or_arn(members.table_name, "tableName");
  constraints.one_of(members.conditional_operator_text, "conditionalOperator", kConditionalOperators,
                     request.conditional_operator);
  members.projection.constrain("attributesToGet", constraints);
  constraints.value_at_least(members.limit, "limit", 1);
  constrain_conditions(members.key_conditions, "keyConditions", true, constraints);
  return constraints.check();
}

Result<void> constrain_current(QueryMembers& members, QueryRequest& request) {
  if (members.table_name->empty()) {
    return invalid(
        std::string(kValidationErrorPrefix) +
        "Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1");
  }
  Constraints unread;
  unread.one_of(members.conditional_operator_text, "conditionalOperator", kConditionalOperators,
                request.conditional_operator);
  if (unread.any()) {
    TRY(members.check_conditional_operator());
    return invalid("Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]");
  }
  if (members.limit && *members.limit < 1) {
    return invalid(std::string(kValidationErrorPrefix) +
                   "Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1");
  }
  Constraints constraints;
  constraints.one_of(members.return_consumed_capacity_text, "returnConsumedCapacity", kReturnConsumedCapacities,
                     request.return_consumed_capacity);
  constraints.one_of(members.select_text, "select", kSelects, request.select);
  constraints.index_name(members.index_name, "indexName");
  constrain_conditions(members.filter, "queryFilter", true, constraints);
  members.projection.constrain("attributesToGet", constraints);
  constrain_conditions(members.key_conditions, "keyConditions", true, constraints);
  return constraints.check();
}

// KeyConditions counts as an expression here; it conflicts only with KeyConditionExpression, which replaced it.
Result<void> check_combination_in_query(const QueryMembers& members) {
  const bool doubled = members.key_conditions && members.key_condition_expression;
  return members.placeholders.check_combination(
      {{"AttributesToGet", members.projection.attributes.has_value()},
       {"QueryFilter", members.filter.has_value()},
       {"ConditionalOperator", members.conditional_operator_text.has_value()},
       {"KeyConditions", doubled}},
      {{"ProjectionExpression", members.projection.expression.has_value()},
       {"FilterExpression", members.filter_expression.has_value()},
       {"KeyConditionExpression", members.key_condition_expression.has_value()}});
}

}  // namespace

// The engine validates everything from the first expression on.
Result<QueryRequest> read_request_by_hand(JsonInput input, Of<QueryRequest>) {
  QueryMembers members;
  QueryRequest request;
  for (const JsonMember member : input) {
    if (member.name == "KeyConditionExpression") {
      TRY_INTO(members.key_condition_expression, json_string(member.value));
    } else if (member.name == "KeyConditions") {
      TRY_INTO(members.key_conditions, read_conditions(member.value, members.values));
    } else if (member.name == "ScanIndexForward") {
      TRY_INTO(request.scan_index_forward, json_boolean(member.value));
    } else {
      TRY(members.take(member));
    }
  }

  const bool readable = members.table_name && (members.table_name->empty() || table_name_of(*members.table_name));
  TRY(readable ? constrain_current(members, request) : constrain_older(members, request));

  TRY(check_combination_in_query(members));
  TRY(members.check_conditional_operator());
  if (members.filter) {
    TRY_INTO(request.legacy_filter, check_conditions(std::move(*members.filter)));
  }
  TRY(members.projection.check());
  TRY(members.check_start_key());
  if (!members.key_conditions && !members.key_condition_expression) {
    return invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.");
  }
  TRY(members.check_select(request, "Query"));
  TRY(members.placeholders.check());
  if (members.key_conditions) {
    const size_t count = members.key_conditions->size();
    TRY_INTO(request.key_conditions, check_conditions(std::move(*members.key_conditions)));
    if (count == 0) return invalid("Conditions can be of length 1 or 2 only");
  }
  request.key_condition_expression = members.key_condition_expression;
  members.release(request);
  return request;
}

}  // namespace trestle
