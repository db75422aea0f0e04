#include "protocol/shapes/server_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "protocol/json/nested_value_for_test.h"
#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

std::string remove(std::string_view members) {
  return refusal(read_delete_item_json,
                 fmt::format(R"({{"TableName":"music","Key":{{"pk":{{"S":"a"}}}},{}}})", members));
}

TEST(DeleteItemJson, every_member_reaches_the_request) {
  const auto request = read(read_delete_item_json, R"({"TableName":"music","Key":{"pk":{"S":"a"}},
    "ConditionExpression":"a = b","ReturnValues":"ALL_OLD"})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->key, (Item{{"pk", Value::string("a")}}));
  EXPECT_EQ(request->condition.expression, "a = b");
  EXPECT_EQ(request->return_values, ReturnValues::kAllOld);
}

TEST(DeleteItemJson, two_unknown_enumeration_members_are_reported_together) {
  EXPECT_EQ(remove(R"("ReturnValues":"INVALID","ReturnConsumedCapacity":"INVALID")"),
            "2 validation errors detected: Value 'INVALID' at 'returnConsumedCapacity' failed to satisfy constraint: "
            "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; Failed to satisfy constraint: Member must "
            "satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]");
}

TEST(DeleteItemJson, only_the_old_item_can_be_returned) {
  EXPECT_EQ(remove(R"("ReturnValues":"ALL_NEW")"), single_error("ReturnValues can only be ALL_OLD or NONE"));
  EXPECT_EQ(remove(R"("ReturnValues":"UPDATED_NEW")"), single_error("ReturnValues can only be ALL_OLD or NONE"));
}

TEST(DeleteItemJson, placeholders_need_an_expression) {
  EXPECT_EQ(remove(R"("ExpressionAttributeValues":{":v":{"S":"x"}})"),
            single_error("ExpressionAttributeValues can only be specified when using expressions"));
  EXPECT_EQ(remove(R"("Expected":{"a":{"Exists":false}},"ExpressionAttributeNames":{"#a":"a"})"),
            single_error("ExpressionAttributeNames can only be specified when using expressions"));
}

TEST(DeleteItemJson, a_missing_key_is_refused) {
  EXPECT_EQ(refusal(read_delete_item_json, R"({"TableName":"music"})"),
            single_error("Value null at 'key' failed to satisfy constraint: Member must not be null"));
}

TEST(DeleteItemJson, a_very_deep_value_is_left_to_the_older_layer) {
  constexpr std::string_view kOlder =
      "Value 'BOGUS' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, "
      "UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]";
  const auto condition = [](int levels) {
    return fmt::format(R"("ConditionExpression":"d = :d","ExpressionAttributeValues":{{":d":{}}},)", nested(levels));
  };
  EXPECT_EQ(remove(condition(63) + R"("ReturnValues":"BOGUS")"), single_error(kOlder));
  EXPECT_EQ(remove(fmt::format(R"("Expected":{{"d":{{"Value":{}}}}},"ReturnValues":"BOGUS")", nested(63))),
            single_error(kOlder));
  EXPECT_EQ(refusal(read_delete_item_json,
                    fmt::format(R"({{"TableName":"music","Key":{{"pk":{}}},"ReturnValues":"BOGUS"}})", nested(100))),
            single_error(kOlder));
  EXPECT_EQ(remove(condition(100) + R"("ReturnValues":"UPDATED_NEW")"), "ReturnValues can only be ALL_OLD or NONE");
}

}  // namespace
}  // namespace trestle
