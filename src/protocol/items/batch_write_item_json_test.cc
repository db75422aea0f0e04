#include "protocol/shapes/server_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

std::string puts(int count) {
  std::string list;
  for (int i = 0; i < count; ++i) list += fmt::format(R"({{"PutRequest":{{"Item":{{"pk":{{"S":"{}"}}}}}}}},)", i);
  list.pop_back();
  return fmt::format("[{}]", list);
}

std::string batch(std::string_view request_items) {
  return refusal(read_batch_write_item_json, fmt::format(R"({{"RequestItems":{}}})", request_items));
}

constexpr std::string_view kAttribute =
    "AttributeValue(s={}, n=null, b=null, iNT=null, dECIMAL=null, dOUBLE=null, sS=null, nS=null, bS=null, iNTSET=null, "
    "dECIMALSET=null, dOUBLESET=null, m=null, l=null, nULL=null, bOOL=null)";

TEST(BatchWriteItemJson, every_member_reaches_the_request) {
  const auto request = read(read_batch_write_item_json, R"({"RequestItems":{"music":[
    {"PutRequest":{"Item":{"pk":{"S":"a"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]},
    "ReturnItemCollectionMetrics":"SIZE"})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  ASSERT_EQ(request->tables.at(0).writes.size(), 2u);
  EXPECT_FALSE(request->tables[0].writes[0].is_delete);
  EXPECT_TRUE(request->tables[0].writes[1].is_delete);
  EXPECT_EQ(request->tables[0].writes[1].item, (Item{{"pk", Value::string("b")}}));
  EXPECT_TRUE(request->return_item_collection_metrics);
}

TEST(BatchWriteItemJson, request_items_are_required_and_not_empty) {
  EXPECT_EQ(
      refusal(read_batch_write_item_json, "{}"),
      "1 validation error detected: Value null at 'requestItems' failed to satisfy constraint: Member must not be "
      "null");
  EXPECT_EQ(batch("{}"), "The requestItems parameter is required for BatchWriteItem");
}

TEST(BatchWriteItemJson, a_table_has_one_to_twenty_five_requests) {
  constexpr std::string_view kCount =
      "at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member must have length "
      "less "
      "than or equal to 25, Member must have length greater than or equal to 1]";
  EXPECT_EQ(batch(R"({"music":[]})"), fmt::format("1 validation error detected: Value '{{music=[]}}' {}", kCount));
  const std::string over = batch(fmt::format(R"({{"music":{}}})", puts(26)));
  EXPECT_TRUE(over.starts_with(
      fmt::format("1 validation error detected: Value '{{music=[WriteRequest(putRequest=PutRequest(item={{pk={}}}, "
                  "workloadProfileName=null), deleteRequest=null), WriteRequest(",
                  fmt::format(fmt::runtime(kAttribute), 0))))
      << over;
  EXPECT_TRUE(over.ends_with(fmt::format("deleteRequest=null)]}}' {}", kCount))) << over;
  EXPECT_EQ(batch(fmt::format(R"({{"music":{}}})", puts(25))), "accepted");
  EXPECT_EQ(batch(fmt::format(R"({{"music":{},"books":{}}})", puts(20), puts(6))),
            "Too many items requested for the BatchWriteItem call");
}

TEST(BatchWriteItemJson, a_malformed_table_name_shows_the_map) {
  EXPECT_EQ(batch(R"({"bad!name":[{"DeleteRequest":{"Key":{"pk":{"S":"x"}}}}]})"),
            fmt::format("1 validation error detected: Value '{{bad!name=[WriteRequest(putRequest=null, "
                        "deleteRequest=DeleteRequest(key={{pk={}}}, workloadProfileName=null))]}}' at 'requestItems' "
                        "failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less "
                        "than or equal to 255, Member must have length greater than or equal to 3, Member must satisfy "
                        "regular expression pattern: [a-zA-Z0-9_.-]+]",
                        fmt::format(fmt::runtime(kAttribute), "x")));
}

TEST(BatchWriteItemJson, unknown_enumeration_members_are_reported_before_the_map) {
  constexpr std::string_view kCapacity =
      "Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: "
      "[INDEXES, TOTAL, NONE]";
  EXPECT_EQ(refusal(read_batch_write_item_json, R"({"RequestItems":{"bad!name":[]},"ReturnConsumedCapacity":"BOGUS"})"),
            fmt::format("1 validation error detected: {}", kCapacity));
  EXPECT_EQ(refusal(read_batch_write_item_json,
                    R"({"RequestItems":{},"ReturnItemCollectionMetrics":"BOGUS2","ReturnConsumedCapacity":"BOGUS"})"),
            fmt::format("2 validation errors detected: {}; Value 'BOGUS2' at 'returnItemCollectionMetrics' failed to "
                        "satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]",
                        kCapacity));
}

TEST(BatchWriteItemJson, each_request_is_a_put_or_a_delete) {
  constexpr std::string_view kNeither =
      "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes";
  EXPECT_EQ(batch(R"({"music":[{}]})"), kNeither);
  EXPECT_EQ(batch(R"({"music":[{"PutRequest":{"Item":{}},"DeleteRequest":{"Key":{}}}]})"), kNeither);
  EXPECT_EQ(batch(R"({"music":[{"PutRequest":{}}]})"),
            "1 validation error detected: Value null at 'requestItems.music.member.1.member.putRequest.item' failed to "
            "satisfy constraint: Member must not be null");
  EXPECT_EQ(
      batch(R"({"music":[{"DeleteRequest":{}}]})"),
      "1 validation error detected: Value null at 'requestItems.music.member.1.member.deleteRequest.key' failed to "
      "satisfy constraint: Member must not be null");
}

TEST(BatchWriteItemJson, values_are_refused_in_the_older_wording) {
  EXPECT_EQ(batch(R"({"music":[{"PutRequest":{"Item":{"a":{"SS":["b","a","b"]}}}}]})"),
            "One or more parameter values were invalid: Input collection [b, a, b] contains duplicates.");
  EXPECT_EQ(batch(fmt::format(R"({{"music":[{{"PutRequest":{{"Item":{{"a":{{"S":"{}"}}}}}}}}]}})",
                              std::string(400 * 1024, 'x'))),
            "Item size has exceeded the maximum allowed size");
}

TEST(BatchWriteItemJson, wrong_shapes_are_refused) {
  EXPECT_EQ(batch("[]"),
            "SerializationException: Unrecognized collection type java.util.Map<java.lang.String, "
            "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>>");
  EXPECT_EQ(batch(R"({"music":{}})"), "SerializationException: Start of structure or map found where not expected");
  EXPECT_TRUE(batch(R"({"music":"23"})").starts_with("SerializationException: class sun.reflect.generics"));
  EXPECT_EQ(batch(R"({"music":["23"]})"), "SerializationException: Unexpected value type in payload");
  EXPECT_EQ(batch(R"({"music":[{"PutRequest":"23"}]})"), "SerializationException: Unexpected field type");
}

TEST(BatchWriteItemJson, unprocessed_writes_can_be_sent_again) {
  BatchWriteItemResponse response;
  response.unprocessed.push_back({.table_name = "music",
                                  .writes = {{.is_delete = false, .item = Item{{"pk", Value::string("a")}}},
                                             {.is_delete = true, .item = Item{{"pk", Value::string("b")}}}}});
  std::string out;
  write_batch_write_item_json(response, out);
  EXPECT_EQ(out, R"({"UnprocessedItems":{"music":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},)"
                 R"({"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]}})");
}

}  // namespace
}  // namespace trestle
