#include "protocol/shapes/server_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

std::string get(std::string_view members) {
  return refusal(read_get_item_json, fmt::format(R"({{"TableName":"music","Key":{{"pk":{{"S":"a"}}}},{}}})", members));
}

TEST(GetItemJson, every_member_reaches_the_request) {
  const auto request = read(read_get_item_json, R"({"TableName":"music","Key":{"pk":{"S":"a"}},"ConsistentRead":true,
    "ProjectionExpression":"#a","ExpressionAttributeNames":{"#a":"b"},"ReturnConsumedCapacity":"TOTAL"})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->table_name, "music");
  EXPECT_EQ(request->key, (Item{{"pk", Value::string("a")}}));
  EXPECT_TRUE(request->consistent_read);
  EXPECT_EQ(request->projection.expression, "#a");
  EXPECT_EQ(request->names, (NameMap{{"#a", "b"}}));
  EXPECT_EQ(request->return_consumed_capacity, ReturnConsumedCapacity::kTotal);
}

TEST(GetItemJson, attributes_to_get_reach_the_request) {
  const auto request = read(read_get_item_json, R"({"TableName":"music","Key":{},"AttributesToGet":["a","b"]})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->projection.attributes_to_get, (std::vector<std::string>{"a", "b"}));
}

TEST(GetItemJson, violations_are_reported_together) {
  EXPECT_EQ(
      refusal(read_get_item_json, R"({"ReturnConsumedCapacity":"hi","AttributesToGet":[]})"),
      "4 validation errors detected: Value 'hi' at 'returnConsumedCapacity' failed to satisfy constraint: Member "
      "must satisfy enum value set: [INDEXES, TOTAL, NONE]; Value '[]' at 'attributesToGet' failed to satisfy "
      "constraint: Member must have length greater than or equal to 1; Value null at 'tableName' failed to "
      "satisfy constraint: Member must not be null; Value null at 'key' failed to satisfy constraint: Member must "
      "not be null");
}

TEST(GetItemJson, values_are_refused_without_an_envelope) {
  EXPECT_EQ(refusal(read_get_item_json, R"({"TableName":"music","Key":{"pk":{"N":"x"}}})"),
            "The parameter cannot be converted to a numeric value: x");
}

TEST(GetItemJson, projections_do_not_mix_and_names_need_one) {
  EXPECT_EQ(get(R"("AttributesToGet":["a"],"ProjectionExpression":"a")"),
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
            "{AttributesToGet} Expression parameters: {ProjectionExpression}");
  EXPECT_EQ(get(R"("ExpressionAttributeNames":{"#a":"a"})"),
            "ExpressionAttributeNames can only be specified when using expressions");
  EXPECT_EQ(get(R"("ProjectionExpression":"a","ExpressionAttributeNames":{})"),
            "ExpressionAttributeNames must not be empty");
}

TEST(GetItemJson, an_attribute_is_asked_for_once) {
  EXPECT_EQ(get(R"("AttributesToGet":["a","b","a"])"),
            "One or more parameter values were invalid: Duplicate value in attribute name: a");
}

TEST(GetItemJson, a_reply_without_an_item_is_an_empty_object) {
  std::string out;
  write_get_item_json({}, out);
  EXPECT_EQ(out, "{}");
  out.clear();
  write_get_item_json({.item = Item{{"pk", Value::string("a")}}, .consumed_capacity = {}}, out);
  EXPECT_EQ(out, R"({"Item":{"pk":{"S":"a"}}})");
}

}  // namespace
}  // namespace trestle
