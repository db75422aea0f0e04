#include "protocol/shapes/server_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "protocol/json/nested_value_for_test.h"
#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

// The error of a valid PutItem with these members added.
std::string put(std::string_view members) {
  return refusal(read_put_item_json, fmt::format(R"({{"TableName":"music","Item":{{"pk":{{"S":"a"}}}},{}}})", members));
}

TEST(PutItemJson, every_member_reaches_the_request) {
  const auto request = read(read_put_item_json, R"({
    "TableName": "arn:aws:dynamodb:eu-west-1:123456789012:table/music",
    "Item": {"pk": {"S": "a"}, "n": {"N": "1.0"}},
    "ConditionExpression": "#a = :v",
    "ExpressionAttributeNames": {"#a": "artist"},
    "ExpressionAttributeValues": {":v": {"S": "x"}},
    "ReturnValues": "ALL_OLD",
    "ReturnConsumedCapacity": "INDEXES",
    "ReturnItemCollectionMetrics": "SIZE",
    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    "Unknown": [1, {"x": 2}]})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->table_name, "music");
  EXPECT_EQ(request->item, (Item{{"n", Value::number("1")}, {"pk", Value::string("a")}}));
  EXPECT_EQ(request->condition.expression, "#a = :v");
  EXPECT_TRUE(request->condition.return_item_on_failure);
  EXPECT_EQ(request->placeholders.names, (NameMap{{"#a", "artist"}}));
  EXPECT_EQ(request->placeholders.values, (ValueMap{{":v", Value::string("x")}}));
  EXPECT_EQ(request->return_values, ReturnValues::kAllOld);
  EXPECT_EQ(request->return_consumed_capacity, ReturnConsumedCapacity::kIndexes);
  EXPECT_TRUE(request->return_item_collection_metrics);
}

TEST(PutItemJson, expected_reaches_the_request) {
  const auto request = read(read_put_item_json, R"({"TableName":"music","Item":{"pk":{"S":"a"}},
    "Expected":{"a":{"Exists":false},"b":{"ComparisonOperator":"IN","AttributeValueList":[{"N":"1"},{"N":"2"}]}},
    "ConditionalOperator":"OR"})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  ASSERT_EQ(request->condition.expected->size(), 2u);
  EXPECT_EQ(request->condition.expected->at(0).attribute, "a");
  EXPECT_EQ(request->condition.expected->at(0).exists, false);
  EXPECT_EQ(request->condition.expected->at(1).comparison, ComparisonOperator::kIn);
  EXPECT_EQ(request->condition.expected->at(1).operands->size(), 2u);
  EXPECT_EQ(request->condition.conditional_operator, ConditionalOperator::kOr);
}

TEST(PutItemJson, a_missing_required_member_is_refused_with_all_other_violations) {
  EXPECT_EQ(refusal(read_put_item_json, "{}"),
            "2 validation errors detected: "
            "Value null at 'tableName' failed to satisfy constraint: Member must not be null; "
            "Value null at 'item' failed to satisfy constraint: Member must not be null");
  EXPECT_EQ(refusal(read_put_item_json, R"({"Item":{"pk":{"S":"test"}}})"),
            single_error("Value null at 'tableName' failed to satisfy constraint: Member must not be null"));
  EXPECT_EQ(refusal(read_put_item_json, R"({"TableName":"","ReturnValues":"x","ReturnConsumedCapacity":"y",
                                            "ReturnItemCollectionMetrics":"z","ConditionalOperator":"w",
                                            "Expected":{"a":{"ComparisonOperator":"v"}}})"),
            "7 validation errors detected: Value 'y' at 'returnConsumedCapacity' failed to satisfy constraint: Member "
            "must satisfy enum value set: [INDEXES, TOTAL, NONE]; Value '' at 'tableName' failed to satisfy "
            "constraint: Member must have length greater than or equal to 1; Value null at 'item' failed to satisfy "
            "constraint: Member must not be null; Value 'w' at 'conditionalOperator' failed to satisfy constraint: "
            "Member must satisfy enum value set: [OR, AND]; Value 'v' at 'expected.a.member.comparisonOperator' failed "
            "to satisfy constraint: Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, "
            "NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]; Value 'x' at 'returnValues' failed to satisfy constraint: "
            "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; Value 'z' at "
            "'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, "
            "NONE]");
}

TEST(PutItemJson, an_empty_table_name_stops_the_current_layer) {
  EXPECT_EQ(
      refusal(read_put_item_json, R"({"TableName":"","Item":{},"ReturnValues":"INVALID"})"),
      single_error(
          "Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1"));
}

TEST(PutItemJson, a_table_name_that_cannot_be_one_is_refused_by_the_older_layer) {
  const std::string long_name(256, 'a');
  EXPECT_EQ(refusal(read_put_item_json, fmt::format(R"({{"TableName":"{}","Item":{{}}}})", long_name)),
            single_error(
                fmt::format("Value '{}' at 'tableName' failed to satisfy constraint: Member must have length less than "
                            "or equal to 255",
                            long_name)));
  EXPECT_EQ(
      refusal(read_put_item_json, R"({"TableName":"bad table!@#","Item":{}})"),
      single_error("Value 'bad table!@#' at 'tableName' failed to satisfy constraint: Member must satisfy regular "
                   "expression pattern: [a-zA-Z0-9_.-]+"));
}

TEST(PutItemJson, unknown_enumeration_members_are_reported_together_in_each_ones_words) {
  EXPECT_EQ(
      put(R"("ReturnValues":"INVALID","ReturnConsumedCapacity":"INVALID","ReturnItemCollectionMetrics":"INVALID")"),
      fmt::format("3 validation errors detected: Value 'INVALID' at 'returnConsumedCapacity' failed to satisfy "
                  "constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; {}; "
                  "ReturnItemCollectionMetrics can only be SIZE or NONE",
                  kReturnValuesSet));
}

TEST(PutItemJson, only_the_old_item_can_be_returned) {
  for (std::string_view value : {"ALL_NEW", "UPDATED_NEW", "UPDATED_OLD"}) {
    EXPECT_EQ(put(fmt::format(R"("ReturnValues":"{}")", value)),
              single_error("ReturnValues can only be ALL_OLD or NONE"));
  }
  EXPECT_EQ(put(R"("ReturnValues":"NONE")"), "accepted");
}

TEST(PutItemJson, placeholders_need_an_expression) {
  EXPECT_EQ(put(R"("ExpressionAttributeValues":{":v":{"S":"x"}})"),
            single_error("ExpressionAttributeValues can only be specified when using expressions"));
  EXPECT_EQ(put(R"("ExpressionAttributeNames":{"#a":"a"})"),
            single_error("ExpressionAttributeNames can only be specified when using expressions"));
  EXPECT_EQ(put(R"("Expected":{"a":{"Exists":false}},"ExpressionAttributeNames":{"#a":"a"})"),
            single_error("ExpressionAttributeNames can only be specified when using expressions"));
}

TEST(PutItemJson, placeholders_must_not_be_empty_and_must_be_well_named) {
  EXPECT_EQ(put(R"("ConditionExpression":"a","ExpressionAttributeValues":{})"),
            single_error("ExpressionAttributeValues must not be empty"));
  EXPECT_EQ(put(R"("ConditionExpression":"a","ExpressionAttributeNames":{})"),
            single_error("ExpressionAttributeNames must not be empty"));
  EXPECT_EQ(put(R"("ConditionExpression":"a","ExpressionAttributeNames":{"a":"b"})"),
            single_error("ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\""));
  EXPECT_EQ(put(R"("ConditionExpression":"a","ExpressionAttributeNames":{"#":"b"})"),
            single_error("ExpressionAttributeNames contains invalid key: Syntax error; key: \"#\""));
  EXPECT_EQ(put(R"("ConditionExpression":"a","ExpressionAttributeValues":{":a-b":{"S":""}})"),
            single_error("ExpressionAttributeValues contains invalid key: Syntax error; key: \":a-b\""));
  EXPECT_EQ(put(R"("ConditionExpression":"a","ExpressionAttributeValues":{":a":{"SS":[]}})"),
            single_error("One or more parameter values were invalid: An string set  may not be empty"));
}

TEST(PutItemJson, expressions_and_legacy_parameters_cannot_be_combined) {
  EXPECT_EQ(
      put(R"("Expected":{"pk":{"Exists":false}},"ConditionExpression":"a")"),
      single_error("Can not use both expression and non-expression parameters in the same request: Non-expression "
                   "parameters: {Expected} Expression parameters: {ConditionExpression}"));
}

TEST(PutItemJson, a_malformed_expected_condition_is_refused) {
  const std::string invalid = "One or more parameter values were invalid: ";
  for (const auto& [condition, message] : {
           std::pair<std::string, std::string>{R"({"Exists":true})",
                                               "Value must be provided when Exists is true for Attribute: a"},
           {R"({})", "Value must be provided when Exists is null for Attribute: a"},
           {R"({"Exists":false,"Value":{"S":"x"}})", "Value cannot be used when Exists is false for Attribute: a"},
           {R"({"Value":{"S":"x"},"ComparisonOperator":"EQ","AttributeValueList":[{"S":"x"}]})",
            "Value and AttributeValueList cannot be used together for Attribute: a"},
           {R"({"ComparisonOperator":"EQ"})",
            "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a"},
           {R"({"ComparisonOperator":"EQ","Exists":true,"Value":{"S":"x"}})",
            "Exists and ComparisonOperator cannot be used together for Attribute: a"},
           {R"({"AttributeValueList":[{"S":"x"}]})",
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: a"},
           {R"({"ComparisonOperator":"BETWEEN","AttributeValueList":[{"S":"x"}]})",
            "Invalid number of argument(s) for the BETWEEN ComparisonOperator"},
           {R"({"ComparisonOperator":"NULL","Value":{"S":"x"}})",
            "Invalid number of argument(s) for the NULL ComparisonOperator"},
           {R"({"ComparisonOperator":"IN","AttributeValueList":[]})",
            "Invalid number of argument(s) for the IN ComparisonOperator"},
           {R"({"ComparisonOperator":"IN","AttributeValueList":[{"S":"x"},{"N":"1"}]})",
            "AttributeValues inside AttributeValueList must be of same type"},
           {R"({"ComparisonOperator":"LT","Value":{"SS":["x"]}})",
            "ComparisonOperator LT is not valid for SS AttributeValue type"},
           {R"({"ComparisonOperator":"BEGINS_WITH","Value":{"N":"1"}})",
            "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type"},
       }) {
    EXPECT_EQ(put(fmt::format(R"("Expected":{{"a":{}}})", condition)), single_error(invalid + message));
  }
  EXPECT_EQ(
      put(R"("Expected":{"a":{"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"2"},{"N":"1"}]}})"),
      single_error("The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"));
  EXPECT_EQ(put(R"("Expected":{"a":{"Value":{"N":"x"}}})"),
            single_error("The parameter cannot be converted to a numeric value: x"));
}

TEST(PutItemJson, a_conditional_operator_needs_two_conditions) {
  EXPECT_EQ(put(R"("ConditionalOperator":"AND","Expected":{"a":{"Exists":false}})"),
            single_error("ConditionalOperator can only be used when Filter or Expected has two or more elements"));
  EXPECT_EQ(put(R"("ConditionalOperator":"AND")"),
            single_error("ConditionalOperator cannot be used without Filter or Expected"));
  EXPECT_EQ(put(R"("ConditionalOperator":"XOR","Expected":{"a":{"Exists":false},"b":{"Exists":false}})"),
            single_error("Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"));
}

TEST(PutItemJson, a_very_deep_value_is_left_to_the_older_layer) {
  EXPECT_EQ(
      put(fmt::format(R"("Expected":{{"a":{{"Value":{}}},"b":{{"Exists":false}}}},"ConditionalOperator":"XOR")",
                      nested(100))),
      single_error(
          "Value 'XOR' at 'conditionalOperator' failed to satisfy constraint: Member must satisfy enum value set: "
          "[OR, AND]"));
  EXPECT_EQ(put(fmt::format(R"("Expected":{{"a":{{"Value":{}}},"b":{{"Exists":false}}}},"ConditionalOperator":"XOR")",
                            nested(40))),
            single_error("Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"));
}

TEST(PutItemJson, values_are_refused_after_constraints_and_shapes_before) {
  EXPECT_EQ(refusal(read_put_item_json, R"({"TableName":"music","Item":{"a":{"SS":[]}},"ReturnValues":"X"})"),
            single_error(kReturnValuesSet));
  EXPECT_EQ(refusal(read_put_item_json, R"({"Item":{"a":{"S":5}},"ReturnValues":"X"})"),
            "SerializationException: NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(refusal(read_put_item_json, R"({"TableName":"music","Item":{"a":{"SS":[]}}})"),
            single_error("One or more parameter values were invalid: An string set  may not be empty"));
  EXPECT_EQ(refusal(read_put_item_json, R"({"TableName":5})"),
            "SerializationException: NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(put(R"("ExpressionAttributeNames":[])"),
            "SerializationException: Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>");
  EXPECT_EQ(put(R"("Expected":{"a":[]})"),
            "SerializationException: Unrecognized collection type class "
            "com.amazonaws.dynamodb.v20120810.ExpectedAttributeValue");
  EXPECT_EQ(put(R"("Expected":{"a":{"Value":5}})"), "SerializationException: Unexpected field type");
  EXPECT_EQ(put(R"("Expected":{"a":{"Exists":5}})"),
            "SerializationException: NUMBER_VALUE cannot be converted to Boolean");
}

TEST(PutItemJson, an_item_may_have_four_hundred_kilobytes_and_no_more) {
  const auto item = [](size_t bytes) {
    return fmt::format(R"({{"TableName":"music","Item":{{"pk":{{"S":"{}"}}}}}})", std::string(bytes - 2, 'x'));
  };
  EXPECT_EQ(refusal(read_put_item_json, item(400 * 1024)), "accepted");
  EXPECT_EQ(refusal(read_put_item_json, item(400 * 1024 + 1)), "Item size has exceeded the maximum allowed size");
}

TEST(PutItemJson, a_reply_has_what_it_was_asked_for) {
  PutItemResponse response;
  std::string out;
  write_put_item_json(response, out);
  EXPECT_EQ(out, "{}");
  response.attributes = Item{{"pk", Value::string("a")}};
  response.consumed_capacity =
      ConsumedCapacity{.table_name = "music", .detail = ReturnConsumedCapacity::kTotal, .total = 1};
  response.item_collection_metrics = ItemCollectionMetrics{.collection_key = Item{{"pk", Value::string("a")}}};
  out.clear();
  write_put_item_json(response, out);
  EXPECT_EQ(out, R"({"Attributes":{"pk":{"S":"a"}},"ConsumedCapacity":{"CapacityUnits":1.0,"TableName":"music"},)"
                 R"("ItemCollectionMetrics":{"ItemCollectionKey":{"pk":{"S":"a"}},"SizeEstimateRangeGB":[0.0,1.0]}})");
}

TEST(PutItemJson, capacity_by_index_names_the_indexes_that_cost_something) {
  PutItemResponse response;
  response.consumed_capacity = ConsumedCapacity{.table_name = "music",
                                                .detail = ReturnConsumedCapacity::kIndexes,
                                                .total = 3,
                                                .table = 1,
                                                .global_indexes = {{"by-year", 2}}};
  std::string out;
  write_put_item_json(response, out);
  EXPECT_EQ(out,
            R"({"ConsumedCapacity":{"CapacityUnits":3.0,"GlobalSecondaryIndexes":{"by-year":{"CapacityUnits":2.0}},)"
            R"("Table":{"CapacityUnits":1.0},"TableName":"music"}})");
}

}  // namespace
}  // namespace trestle
