#include "protocol/json/error_json.h"

#include <gtest/gtest.h>

#include "model/value.h"

namespace trestle {
namespace {

std::string body_of(const Error& error) {
  std::string out;
  write_error_json(error, out);
  return out;
}

TEST(ErrorJson, a_validation_error_names_corals_namespace_and_a_small_message) {
  EXPECT_EQ(body_of({.code = ErrorCode::kValidation, .message = "say \"no\""}),
            R"({"__type":"com.amazon.coral.validate#ValidationException","message":"say \"no\""})");
}

TEST(ErrorJson, a_serialization_error_has_a_capital_message) {
  EXPECT_EQ(body_of({.code = ErrorCode::kSerialization, .message = "m"}),
            R"({"__type":"com.amazon.coral.service#SerializationException","Message":"m"})");
}

TEST(ErrorJson, an_empty_message_is_left_out) {
  EXPECT_EQ(body_of({.code = ErrorCode::kSerialization, .message = ""}),
            R"({"__type":"com.amazon.coral.service#SerializationException"})");
}

TEST(ErrorJson, a_failed_condition_carries_the_item) {
  const auto item = std::make_shared<const Item>(Item{{"pk", Value::string("a")}});
  EXPECT_EQ(body_of({.code = ErrorCode::kConditionalCheckFailed, .message = "m", .item = item}),
            R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"m",)"
            R"("Item":{"pk":{"S":"a"}}})");
}

TEST(ErrorJson, a_cancelled_transaction_carries_a_reason_for_each_action) {
  const auto item = std::make_shared<const Item>(Item{{"pk", Value::string("a")}});
  const auto reasons = std::make_shared<const std::vector<CancellationReason>>(
      std::vector<CancellationReason>{{}, {.code = "ConditionalCheckFailed", .message = "no", .item = item}});
  EXPECT_EQ(body_of({.code = ErrorCode::kTransactionCanceled, .message = "m", .reasons = reasons}),
            R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"m",)"
            R"("CancellationReasons":[{"Code":"None"},)"
            R"({"Code":"ConditionalCheckFailed","Item":{"pk":{"S":"a"}},"Message":"no"}]})");
}

TEST(ErrorJson, only_the_machine_and_we_answer_with_a_five_hundred) {
  EXPECT_EQ(error_shape(ErrorCode::kInternal).http_status, 500);
  EXPECT_EQ(error_shape(ErrorCode::kServiceUnavailable).http_status, 503);
  EXPECT_EQ(error_shape(ErrorCode::kProvisionedThroughputExceeded).http_status, 400);
  EXPECT_EQ(error_shape(ErrorCode::kResourceNotFound).http_status, 400);
}

TEST(ErrorJson, names_come_without_their_namespace) {
  EXPECT_EQ(error_name(ErrorCode::kResourceNotFound), "ResourceNotFoundException");
  EXPECT_EQ(error_name(ErrorCode::kNotImplemented), "UnknownOperationException");
}

}  // namespace
}  // namespace trestle
