#include "protocol/shapes/server_json.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

template <class T>
Result<T> read_with(Result<T> (*read)(JsonInput), std::string_view body) {
  TRY_INTO(const JsonInput input, parse_body(body));
  return read(input);
}

TEST(ExecuteStatementJson, all_members_arrive) {
  const auto request = read_with(read_execute_statement_json,
                                 R"({"Statement":"SELECT","Parameters":[{"S":"a"},{"N":"1.0"}],"ConsistentRead":true,)"
                                 R"("Limit":3,"NextToken":"AQI=","ReturnConsumedCapacity":"TOTAL",)"
                                 R"("ReturnValuesOnConditionCheckFailure":"ALL_OLD"})");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->statement.text, "SELECT");
  ASSERT_EQ(request->statement.parameters.size(), 2u);
  EXPECT_EQ(request->statement.parameters[1], Value::number(1));
  EXPECT_TRUE(request->statement.consistent_read);
  EXPECT_TRUE(request->statement.return_item_on_failure);
  EXPECT_EQ(request->limit, 3);
  EXPECT_EQ(request->next_token, "AQI=");
}

TEST(ExecuteStatementJson, a_faulty_parameter_is_left_for_its_turn) {
  const auto request = read_with(read_execute_statement_json, R"({"Statement":"x","Parameters":[{"N":"abc"}]})");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->statement.parameters_fault, "The parameter cannot be converted to a numeric value: abc");
}

TEST(ExecuteStatementJson, constraints_are_reported_together) {
  const auto request = read_with(read_execute_statement_json, R"({"Limit":0})");
  ASSERT_FALSE(request.has_value());
  EXPECT_EQ(
      request.error().message,
      "2 validation errors detected: Value null at 'statement' failed to satisfy constraint: Member must not be "
      "null; Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1");
}

TEST(BatchExecuteStatementJson, errors_have_codes_of_their_own) {
  BatchExecuteStatementResponse response;
  for (ErrorCode code : {ErrorCode::kValidation, ErrorCode::kDuplicateItem, ErrorCode::kConditionalCheckFailed,
                         ErrorCode::kResourceNotFound, ErrorCode::kInternal}) {
    response.responses.push_back({.error = Error{.code = code, .message = "m"}});
  }
  response.responses.push_back({.table_name = "t", .item = Item{{"a", Value::number(1)}}});
  std::string out;
  write_batch_execute_statement_json(response, out);
  EXPECT_EQ(out,
            R"({"Responses":[{"Error":{"Code":"ValidationError","Message":"m"}},)"
            R"({"Error":{"Code":"DuplicateItem","Message":"m"}},)"
            R"({"Error":{"Code":"ConditionalCheckFailed","Message":"m"}},)"
            R"({"Error":{"Code":"ResourceNotFound","Message":"m"}},)"
            R"({"Error":{"Code":"InternalServerError","Message":"m"}},{"Item":{"a":{"N":"1"}},"TableName":"t"}]})");
}

TEST(ExecuteTransactionJson, an_absent_item_is_an_empty_response) {
  std::string out;
  write_execute_transaction_json({.items = {std::nullopt, Item{{"a", Value::number(1)}}}}, out);
  EXPECT_EQ(out, R"({"Responses":[{},{"Item":{"a":{"N":"1"}}}]})");
}

}  // namespace
}  // namespace trestle
