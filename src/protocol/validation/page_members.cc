#include "protocol/validation/page_members.h"

#include "model/table.h"
#include "protocol/shapes/by_hand.h"

namespace trestle {

Result<void> PageMembers::take(const JsonMember& member) {
  if (member.name == "TableName") {
    TRY_INTO(table_name, json_string(member.value));
  } else if (member.name == "IndexName") {
    TRY_INTO(index_name, json_string(member.value));
  } else if (member.name == "Select") {
    TRY_INTO(select_text, json_string(member.value));
  } else if (member.name == "Limit") {
    TRY_INTO(limit, json_integer(member.value, "Integer"));
  } else if (member.name == "ConsistentRead") {
    TRY_INTO(consistent_read, json_boolean(member.value));
  } else if (member.name == "ExclusiveStartKey") {
    TRY_INTO(start_key, values.item(member.value));
  } else if (member.name == "FilterExpression") {
    TRY_INTO(filter_expression, json_string(member.value));
  } else if (member.name == "ReturnConsumedCapacity") {
    TRY_INTO(return_consumed_capacity_text, json_string(member.value));
  } else if (member.name == "ConditionalOperator") {
    TRY_INTO(conditional_operator_text, json_string(member.value));
  } else if (member.name == filter_name) {
    TRY_INTO(filter, read_conditions(member.value, values));
  } else {
    TRY_INTO(const bool projected, projection.take(member));
    if (!projected) TRY(placeholders.take(member));
  }
  return {};
}

Result<void> PageMembers::check_start_key() const {
  if (!start_key || !start_key->fault) return {};
  const std::string& fault = *start_key->fault;
  for (std::string_view bare :
       {"contains duplicates", "number set", "numeric value", "significant digits", "number with magnitude"}) {
    if (fault.find(bare) != std::string::npos) return invalid(fault);
  }
  return invalid("The provided starting key is invalid: " + fault);
}

Result<void> PageMembers::check_select(const PageRequest& request, std::string_view operation) const {
  if (!request.select) return {};
  if (request.select == Select::kAllProjectedAttributes && !index_name) {
    return invalid_parameter("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
  }
  if (request.select == Select::kSpecificAttributes) {
    if (projection.expression || projection.attributes) return {};
    std::string message(operation == "Query" ? kValidationErrorPrefix : "");
    return invalid(
        message.append("Must specify the AttributesToGet or ProjectionExpression when choosing to get "
                       "SPECIFIC_ATTRIBUTES"));
  }
  if (!projection.expression && !projection.attributes) return {};
  const std::string members = projection.expression ? "ProjectionExpression" : "AttributesToGet";
  const std::string selection = request.select == Select::kCount ? "only the Count" : std::string(*select_text);
  return invalid_parameter("Cannot specify the " + members + " when choosing to get " + selection);
}

void PageMembers::release(PageRequest& request) {
  request.table_name = *table_name_of(*table_name);
  request.index_name = index_name;
  request.projection = projection.release();
  request.filter_expression = filter_expression;
  request.placeholders = placeholders.release();
  if (start_key) request.exclusive_start_key = std::move(start_key->value);
  request.limit = limit;
  request.consistent_read = consistent_read;
}

}  // namespace trestle
