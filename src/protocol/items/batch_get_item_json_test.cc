#include "protocol/shapes/server_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

std::string keys(int count, std::string_view prefix = "k") {
  std::string list;
  for (int i = 0; i < count; ++i) list += fmt::format(R"({{"pk":{{"S":"{}{}"}}}},)", prefix, i);
  if (!list.empty()) list.pop_back();
  return fmt::format("[{}]", list);
}

constexpr std::string_view kCapacity =
    "Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: "
    "[INDEXES, TOTAL, NONE]";
constexpr std::string_view kMapKeys =
    "Map keys must satisfy constraint: [Member must have length less than or equal to 255, Member must have length "
    "greater than or equal to 3, Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]";

TEST(BatchGetItemJson, every_member_reaches_the_request) {
  const auto request = read(read_batch_get_item_json, R"({"RequestItems":{
    "music":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"b"}}],"ConsistentRead":true,"ProjectionExpression":"#a",
             "ExpressionAttributeNames":{"#a":"b"}},
    "books":{"Keys":[{"pk":{"S":"c"}}]}},"ReturnConsumedCapacity":"TOTAL"})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  ASSERT_EQ(request->tables.size(), 2u);
  EXPECT_EQ(request->tables[0].table_name, "music");
  EXPECT_EQ(request->tables[0].keys.size(), 2u);
  EXPECT_TRUE(request->tables[0].consistent_read);
  EXPECT_EQ(request->tables[0].projection.expression, "#a");
  EXPECT_EQ(request->tables[0].names, (NameMap{{"#a", "b"}}));
  EXPECT_EQ(request->return_consumed_capacity, ReturnConsumedCapacity::kTotal);
}

TEST(BatchGetItemJson, request_items_are_required_and_not_empty) {
  EXPECT_EQ(
      refusal(read_batch_get_item_json, "{}"),
      "1 validation error detected: Value null at 'requestItems' failed to satisfy constraint: Member must not be "
      "null");
  EXPECT_EQ(
      refusal(read_batch_get_item_json, R"({"RequestItems":{}})"),
      "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: Member must have length "
      "greater than or equal to 1");
}

TEST(BatchGetItemJson, keys_are_required_and_one_to_a_hundred) {
  EXPECT_EQ(refusal(read_batch_get_item_json, R"({"RequestItems":{"music":{}}})"),
            "1 validation error detected: Value null at 'requestItems.music.member.keys' failed to satisfy constraint: "
            "Member must not be null");
  EXPECT_EQ(
      refusal(read_batch_get_item_json, R"({"RequestItems":{"music":{"Keys":[]}}})"),
      "1 validation error detected: Value at 'RequestItems.music.member.Keys' failed to satisfy constraint: Member "
      "must have length greater than or equal to 1");
  EXPECT_EQ(
      refusal(read_batch_get_item_json, fmt::format(R"({{"RequestItems":{{"music":{{"Keys":{}}}}}}})", keys(101))),
      "1 validation error detected: Value at 'RequestItems.music.member.Keys' failed to satisfy constraint: Member "
      "must have length less than or equal to 100");
  EXPECT_EQ(
      refusal(read_batch_get_item_json,
              fmt::format(R"({{"RequestItems":{{"music":{{"Keys":{}}},"books":{{"Keys":{}}}}}}})", keys(60), keys(41))),
      "Too many items requested for the BatchGetItem call");
  EXPECT_EQ(
      refusal(read_batch_get_item_json, fmt::format(R"({{"RequestItems":{{"music":{{"Keys":{}}}}}}})", keys(100))),
      "accepted");
}

TEST(BatchGetItemJson, a_malformed_table_name_shows_the_map_and_joins_the_enumeration) {
  const std::string shown = R"(Value '{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}' at 'requestItems')";
  EXPECT_EQ(refusal(read_batch_get_item_json, R"({"RequestItems": {"bad!name": {"Keys": [{"pk": {"S": "a"}}]}}})"),
            fmt::format("1 validation error detected: {} failed to satisfy constraint: {}", shown, kMapKeys));
  EXPECT_EQ(
      refusal(read_batch_get_item_json,
              R"({"RequestItems":{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}},"ReturnConsumedCapacity":"BOGUS"})"),
      fmt::format("2 validation errors detected: {} failed to satisfy constraint: {}; {}", shown, kMapKeys, kCapacity));
  EXPECT_EQ(
      refusal(read_batch_get_item_json, R"({"RequestItems":{"music":{"Keys":[{}]}},"ReturnConsumedCapacity":"BOGUS"})"),
      fmt::format("1 validation error detected: {}", kCapacity));
}

TEST(BatchGetItemJson, projections_do_not_mix_within_or_between_tables) {
  constexpr std::string_view kMixed =
      "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
      "{AttributesToGet} Expression parameters: {ProjectionExpression}";
  EXPECT_EQ(refusal(read_batch_get_item_json,
                    R"({"RequestItems":{"music":{"Keys":[{}],"AttributesToGet":["a"],"ProjectionExpression":"a"}}})"),
            kMixed);
  EXPECT_EQ(refusal(read_batch_get_item_json, R"({"RequestItems":{"music":{"Keys":[{}],"ProjectionExpression":"a"},
                                                                  "books":{"Keys":[{}],"AttributesToGet":["a"]}}})"),
            kMixed);
  EXPECT_EQ(refusal(read_batch_get_item_json, R"({"RequestItems":{"music":{"Keys":[{}],"ProjectionExpression":"a"},
                                                                  "books":{"Keys":[{}],
                                                                  "ExpressionAttributeNames":{"#a":"a"}}}})"),
            "ExpressionAttributeNames can only be specified when using expressions");
}

TEST(BatchGetItemJson, wrong_shapes_are_refused) {
  EXPECT_EQ(refusal(read_batch_get_item_json, R"({"RequestItems":[]})"),
            "SerializationException: Unrecognized collection type java.util.Map<java.lang.String, "
            "com.amazonaws.dynamodb.v20120810.KeysAndAttributes>");
  EXPECT_EQ(refusal(read_batch_get_item_json, R"({"RequestItems":{"music":[]}})"),
            "SerializationException: Unrecognized collection type class "
            "com.amazonaws.dynamodb.v20120810.KeysAndAttributes");
  EXPECT_EQ(
      refusal(read_batch_get_item_json, R"({"RequestItems":{"music":{"Keys":["23"]}}})"),
      "SerializationException: class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to "
      "class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are "
      "in module java.base of loader 'bootstrap')");
  EXPECT_EQ(refusal(read_batch_get_item_json, R"({"RequestItems":{"music":{"Keys":[[]]}}})"),
            "SerializationException: Unrecognized collection type java.util.Map<java.lang.String, "
            "com.amazonaws.dynamodb.v20120810.AttributeValue>");
}

TEST(BatchGetItemJson, unprocessed_keys_can_be_requested_again) {
  BatchGetItemResponse response;
  ItemList items;
  items.add(Item{{"pk", Value::string("a")}});
  response.responses.emplace_back("music", std::move(items));
  BatchGetTable& left = response.unprocessed.emplace_back();
  left.table_name = "books";
  left.keys.push_back(Item{{"pk", Value::string("c")}});
  left.projection.expression = "#a";
  left.names = NameMap{{"#a", "b"}};
  left.consistent_read = true;
  std::string out;
  write_batch_get_item_json(response, out);
  EXPECT_EQ(out, R"({"Responses":{"music":[{"pk":{"S":"a"}}]},"UnprocessedKeys":{"books":{"ConsistentRead":true,)"
                 R"("ExpressionAttributeNames":{"#a":"b"},"Keys":[{"pk":{"S":"c"}}],"ProjectionExpression":"#a"}}})");
}

}  // namespace
}  // namespace trestle
