#include <fmt/format.h>
#include <gtest/gtest.h>

#include "protocol/shapes/server_json.h"
#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

using Kind = TransactWrite::Kind;

std::string write(std::string_view items) {
  return refusal(read_transact_write_items_json, fmt::format(R"({{"TransactItems":{}}})", items));
}

TEST(TransactWriteItemsJson, every_member_reaches_the_request) {
  const auto request = read(read_transact_write_items_json, R"({"TransactItems":[
    {"ConditionCheck":{"TableName":"one","Key":{"pk":{"S":"a"}},"ConditionExpression":"c",
                       "ReturnValuesOnConditionCheckFailure":"ALL_OLD"}},
    {"Put":{"TableName":"two","Item":{"pk":{"S":"b"}},"ExpressionAttributeNames":{"#n":"n"}}},
    {"Delete":{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/three","Key":{"pk":{"S":"c"}}}},
    {"Update":{"TableName":"four","Key":{"pk":{"S":"d"}},"UpdateExpression":"u",
               "ExpressionAttributeValues":{":v":{"N":"1"}}}}],
    "ClientRequestToken":"token","ReturnConsumedCapacity":"INDEXES","ReturnItemCollectionMetrics":"SIZE"})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  ASSERT_EQ(request->writes.size(), 4u);
  EXPECT_EQ(request->writes[0].kind, Kind::kConditionCheck);
  EXPECT_EQ(request->writes[0].condition.expression, "c");
  EXPECT_TRUE(request->writes[0].condition.return_item_on_failure);
  EXPECT_EQ(request->writes[1].kind, Kind::kPut);
  EXPECT_EQ(request->writes[1].item, (Item{{"pk", Value::string("b")}}));
  EXPECT_EQ(request->writes[1].placeholders.names, (NameMap{{"#n", "n"}}));
  EXPECT_EQ(request->writes[2].kind, Kind::kDelete);
  EXPECT_EQ(request->writes[2].table_name, "three");
  EXPECT_EQ(request->writes[3].kind, Kind::kUpdate);
  EXPECT_EQ(request->writes[3].update_expression, "u");
  EXPECT_EQ(request->client_request_token, "token");
  EXPECT_EQ(request->return_consumed_capacity, ReturnConsumedCapacity::kIndexes);
  EXPECT_TRUE(request->return_item_collection_metrics);
  for (const TransactWrite& each : request->writes) EXPECT_FALSE(each.fault);
}

TEST(TransactWriteItemsJson, required_members_are_named_by_place_and_action) {
  EXPECT_EQ(
      refusal(read_transact_write_items_json, "{}"),
      "1 validation error detected: Value null at 'transactItems' failed to satisfy constraint: Member must not be "
      "null");
  EXPECT_EQ(write(R"([{"Put":{"TableName":"abc","Item":{}}},{"Update":{"TableName":"abc","Key":{}}}])"),
            "1 validation error detected: Value null at 'transactItems.2.member.update.updateExpression' failed to "
            "satisfy constraint: Member must not be null");
  EXPECT_EQ(write(R"([{"ConditionCheck":{"TableName":"abc","Key":{}}}])"),
            "1 validation error detected: Value null at 'transactItems.1.member.conditionCheck.conditionExpression' "
            "failed to satisfy constraint: Member must not be null");
  EXPECT_EQ(write(R"([{"Delete":{"Key":{}}}])"),
            "1 validation error detected: Value null at 'transactItems.1.member.delete.tableName' failed to satisfy "
            "constraint: Member must not be null");
}

TEST(TransactWriteItemsJson, wrong_shapes_are_refused) {
  EXPECT_EQ(write("5"), "SerializationException: Unexpected field type");
  EXPECT_EQ(write(R"(["a"])").substr(0, 22), "SerializationException");
  EXPECT_EQ(write(R"([{"Put":"a"}])").substr(0, 22), "SerializationException");
}

TEST(TransactWriteItemsJson, faults_of_values_are_left_for_their_turn) {
  const auto request = read(read_transact_write_items_json, R"({"TransactItems":[
    {"Put":{"TableName":"abc","Item":{"pk":{"N":"x"}}}}, {},
    {"Put":{"TableName":"abc","Item":{}},"Delete":{"TableName":"abc","Key":{}}},
    {"Put":{"TableName":"abc","Item":{},"ExpressionAttributeValues":{":v":{"N":"y"}}}}]})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->writes[0].fault, "The parameter cannot be converted to a numeric value: x");
  EXPECT_EQ(request->writes[1].fault,
            "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request");
  EXPECT_EQ(request->writes[2].fault, "TransactItems can only contain one of Check, Put, Update or Delete");
  EXPECT_EQ(request->writes[3].fault,
            "ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: y "
            "for key :v");
}

TEST(TransactWriteItemsJson, an_answer_without_anything_asked_for_is_empty) {
  std::string out;
  write_transact_write_items_json({}, out);
  EXPECT_EQ(out, "{}");
}

TEST(TransactGetItemsJson, every_member_reaches_the_request) {
  const auto request = read(read_transact_get_items_json, R"({"TransactItems":[
    {"Get":{"TableName":"abc","Key":{"pk":{"S":"a"}},"ProjectionExpression":"#n",
            "ExpressionAttributeNames":{"#n":"n"}}}],"ReturnConsumedCapacity":"TOTAL"})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->gets[0].key, (Item{{"pk", Value::string("a")}}));
  EXPECT_EQ(request->gets[0].projection.expression, "#n");
  EXPECT_EQ(request->gets[0].names, (NameMap{{"#n", "n"}}));
  EXPECT_EQ(request->return_consumed_capacity, ReturnConsumedCapacity::kTotal);
}

TEST(TransactGetItemsJson, an_answer_has_a_place_for_each_item) {
  std::string out;
  TransactGetItemsResponse response;
  response.items = {std::nullopt, Item{{"pk", Value::string("a")}}};
  response.consumed_capacity = {{.table_name = "abc", .kind = CapacityKind::kTransactionRead, .total = 4, .table = 4}};
  write_transact_get_items_json(response, out);
  EXPECT_EQ(out, R"({"ConsumedCapacity":[{"CapacityUnits":4.0,"ReadCapacityUnits":4.0,"TableName":"abc"}],)"
                 R"("Responses":[{},{"Item":{"pk":{"S":"a"}}}]})");
}

}  // namespace
}  // namespace trestle
