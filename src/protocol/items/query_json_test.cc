#include "protocol/shapes/server_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

std::string query(std::string_view members) {
  return refusal(read_query_json, fmt::format(R"({{"TableName":"music","KeyConditionExpression":"pk = :v",
                                                   "ExpressionAttributeValues":{{":v":{{"S":"a"}}}},{}}})",
                                              members));
}

std::string legacy(std::string_view members) {
  return refusal(read_query_json, fmt::format(R"({{"TableName":"music",{},
      "KeyConditions":{{"pk":{{"ComparisonOperator":"EQ","AttributeValueList":[{{"S":"a"}}]}}}}}})",
                                              members));
}

TEST(QueryJson, every_member_reaches_the_request) {
  const auto request = read(read_query_json, R"({"TableName":"music","IndexName":"by-year",
    "KeyConditionExpression":"pk = :v","FilterExpression":"a = :v","ProjectionExpression":"#a",
    "ExpressionAttributeNames":{"#a":"b"},"ExpressionAttributeValues":{":v":{"S":"a"}},
    "ExclusiveStartKey":{"pk":{"S":"z"}},"Limit":5,"ScanIndexForward":false,"ConsistentRead":true,
    "Select":"SPECIFIC_ATTRIBUTES","ReturnConsumedCapacity":"TOTAL"})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->table_name, "music");
  EXPECT_EQ(request->index_name, "by-year");
  EXPECT_EQ(request->key_condition_expression, "pk = :v");
  EXPECT_EQ(request->filter_expression, "a = :v");
  EXPECT_EQ(request->projection.expression, "#a");
  EXPECT_EQ(request->exclusive_start_key, (Item{{"pk", Value::string("z")}}));
  EXPECT_EQ(request->limit, 5);
  EXPECT_FALSE(request->scan_index_forward);
  EXPECT_TRUE(request->consistent_read);
  EXPECT_EQ(request->select, Select::kSpecificAttributes);
  EXPECT_EQ(request->return_consumed_capacity, ReturnConsumedCapacity::kTotal);
}

TEST(QueryJson, legacy_conditions_reach_the_request) {
  const auto request = read(read_query_json, R"({"TableName":"music",
    "KeyConditions":{"pk":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"a"}]}},
    "QueryFilter":{"a":{"ComparisonOperator":"NULL"},"b":{"ComparisonOperator":"NE","AttributeValueList":[{"L":[]}]}},
    "ConditionalOperator":"OR","AttributesToGet":["a"]})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->key_conditions->at(0).comparison, ComparisonOperator::kEq);
  EXPECT_EQ(request->legacy_filter->size(), 2u);
  EXPECT_EQ(request->conditional_operator, ConditionalOperator::kOr);
  EXPECT_EQ(request->projection.attributes_to_get->size(), 1u);
}

TEST(QueryJson, a_limit_below_one_is_refused) {
  EXPECT_EQ(
      query(R"("Limit":0)"),
      "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value greater "
      "than or equal to 1");
}

TEST(QueryJson, an_unknown_select_is_refused) {
  EXPECT_EQ(query(R"("Select":"INVALID_VALUE")"),
            "1 validation error detected: Value 'INVALID_VALUE' at 'select' failed to satisfy constraint: Member must "
            "satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]");
}

TEST(QueryJson, a_query_without_a_table_is_refused_with_all_other_violations) {
  EXPECT_EQ(
      refusal(read_query_json, R"({"IndexName":"a","Limit":-1,"KeyConditions":{"a":{}}})"),
      "4 validation errors detected: Value 'a' at 'indexName' failed to satisfy constraint: Member must have "
      "length greater than or equal to 3; Value null at 'tableName' failed to satisfy constraint: Member must not "
      "be null; Value '-1' at 'limit' failed to satisfy constraint: Member must have value greater than or equal "
      "to 1; Value null at 'keyConditions.a.member.comparisonOperator' failed to satisfy constraint: Member must "
      "not be null");
}

TEST(QueryJson, a_bad_conditional_operator_is_reported_without_a_prefix_and_before_a_bad_select) {
  EXPECT_EQ(legacy(R"("QueryFilter":{"b":{"ComparisonOperator":"NULL"},"c":{"ComparisonOperator":"NULL"}},
                      "ConditionalOperator":"XOR","Select":"BOGUS")"),
            "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]");
}

TEST(QueryJson, a_conditional_operator_needs_two_conditions) {
  EXPECT_EQ(legacy(R"("QueryFilter":{"b":{"ComparisonOperator":"NULL"}},"ConditionalOperator":"AND")"),
            "ConditionalOperator can only be used when Filter or Expected has two or more elements");
}

TEST(QueryJson, a_key_condition_is_required) {
  EXPECT_EQ(refusal(read_query_json, R"({"TableName":"music"})"),
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.");
}

TEST(QueryJson, expressions_and_legacy_parameters_cannot_be_combined) {
  EXPECT_EQ(query(R"("KeyConditions":{},"QueryFilter":{},"AttributesToGet":["a"])"),
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
            "{AttributesToGet, QueryFilter, KeyConditions} Expression parameters: {KeyConditionExpression}");
  EXPECT_EQ(legacy(R"("FilterExpression":"a")"), "accepted");
}

TEST(QueryJson, a_malformed_condition_is_refused) {
  const std::string invalid = "One or more parameter values were invalid: ";
  EXPECT_EQ(legacy(R"("QueryFilter":{"a":{"ComparisonOperator":"EQ"}})"),
            invalid + "Invalid number of argument(s) for the EQ ComparisonOperator");
  EXPECT_EQ(legacy(R"("QueryFilter":{"a":{"ComparisonOperator":"NULL","AttributeValueList":[{"S":"x"}]}})"),
            invalid + "Invalid number of argument(s) for the NULL ComparisonOperator");
  EXPECT_EQ(legacy(R"("QueryFilter":{"a":{"ComparisonOperator":"CONTAINS","AttributeValueList":[{"SS":["x"]}]}})"),
            invalid + "ComparisonOperator CONTAINS is not valid for SS AttributeValue type");
  EXPECT_EQ(legacy(R"("QueryFilter":{"a":{"ComparisonOperator":"EQ","AttributeValueList":[{}]}})"),
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
  EXPECT_EQ(refusal(read_query_json, R"({"TableName":"music","KeyConditions":{}})"),
            "Conditions can be of length 1 or 2 only");
}

TEST(QueryJson, a_bad_start_key_is_named_for_some_faults) {
  EXPECT_EQ(query(R"("ExclusiveStartKey":{"a":{}})"),
            "The provided starting key is invalid: Supplied AttributeValue is empty, must contain exactly one of the "
            "supported datatypes");
  EXPECT_EQ(query(R"("ExclusiveStartKey":{"a":{"N":"x"}})"), "The parameter cannot be converted to a numeric value: x");
}

TEST(QueryJson, select_must_agree_with_the_projection) {
  const std::string invalid = "One or more parameter values were invalid: ";
  EXPECT_EQ(query(R"("Select":"ALL_ATTRIBUTES","ProjectionExpression":"a")"),
            invalid + "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES");
  EXPECT_EQ(query(R"("Select":"COUNT","ProjectionExpression":"a")"),
            invalid + "Cannot specify the ProjectionExpression when choosing to get only the Count");
  EXPECT_EQ(legacy(R"("Select":"ALL_ATTRIBUTES","AttributesToGet":["a"])"),
            invalid + "Cannot specify the AttributesToGet when choosing to get ALL_ATTRIBUTES");
  EXPECT_EQ(query(R"("Select":"ALL_PROJECTED_ATTRIBUTES")"),
            invalid + "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
  EXPECT_EQ(
      query(R"("Select":"SPECIFIC_ATTRIBUTES")"),
      "1 validation error detected: Must specify the AttributesToGet or ProjectionExpression when choosing to get "
      "SPECIFIC_ATTRIBUTES");
  EXPECT_EQ(query(R"("Select":"COUNT")"), "accepted");
}

TEST(QueryJson, expression_values_are_refused_bare) {
  EXPECT_EQ(refusal(read_query_json, R"({"TableName":"music","KeyConditionExpression":"pk = :v",
                                         "ExpressionAttributeValues":{":v":{"N":"x"}}})"),
            "The parameter cannot be converted to a numeric value: x");
}

TEST(QueryJson, wrong_shapes_are_refused) {
  EXPECT_EQ(query(R"("Limit":"5")"), "SerializationException: STRING_VALUE cannot be converted to Integer");
  EXPECT_EQ(query(R"("KeyConditions":[])"),
            "SerializationException: Unrecognized collection type java.util.Map<java.lang.String, "
            "com.amazonaws.dynamodb.v20120810.Condition>");
  EXPECT_EQ(query(R"("AttributesToGet":"a")"), "SerializationException: Unexpected field type");
}

TEST(QueryJson, a_reply_counts_and_lists) {
  QueryResponse response;
  response.items.add(Item{{"pk", Value::string("a")}});
  response.items.add(Item{{"pk", Value::string("b")}});
  response.count = 2;
  response.scanned_count = 3;
  response.last_evaluated_key = Item{{"pk", Value::string("b")}};
  std::string out;
  write_query_json(response, out);
  EXPECT_EQ(out, R"({"Count":2,"Items":[{"pk":{"S":"a"}},{"pk":{"S":"b"}}],"LastEvaluatedKey":{"pk":{"S":"b"}},)"
                 R"("ScannedCount":3})");
  out.clear();
  QueryResponse count;
  count.items_returned = false;
  write_query_json(count, out);
  EXPECT_EQ(out, R"({"Count":0,"ScannedCount":0})");
}

}  // namespace
}  // namespace trestle
