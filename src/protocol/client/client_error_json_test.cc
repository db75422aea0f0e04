#include "protocol/client/client_error_json.h"

#include <gtest/gtest.h>

#include "model/value.h"
#include "protocol/json/error_json.h"

namespace trestle {
namespace {

TEST(ClientErrorJson, every_error_comes_back_as_it_was) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    Error error{.code = static_cast<ErrorCode>(i), .message = "because"};
    std::string body;
    write_error_json(error, body);
    const ReplyError read = read_error_json(error_shape(error.code).http_status, body);
    const ErrorCode expected = error.code == ErrorCode::kNotImplemented ? ErrorCode::kUnknownOperation : error.code;
    EXPECT_EQ(read.error.code, expected) << body;
    EXPECT_EQ(read.error.message, "because");
    EXPECT_EQ(read.name, error_name(error.code));
  }
}

TEST(ClientErrorJson, items_and_reasons_come_along) {
  const auto item = std::make_shared<const Item>(Item{{"pk", Value::string("a")}});
  Error failed{.code = ErrorCode::kConditionalCheckFailed, .message = "no", .item = item};
  Error canceled{.code = ErrorCode::kTransactionCanceled, .message = "no"};
  canceled.reasons = std::make_shared<const std::vector<CancellationReason>>(
      std::vector<CancellationReason>{{}, {.code = "ConditionalCheckFailed", .message = "m", .item = item}});
  Error throttled{.code = ErrorCode::kThrottling, .message = "slow"};
  throttled.throttling = std::make_shared<const std::vector<ThrottlingReason>>(
      std::vector<ThrottlingReason>{{.reason = "r", .resource = "arn"}});
  for (const Error& error : {failed, canceled, throttled}) {
    std::string body;
    write_error_json(error, body);
    std::string again;
    write_error_json(read_error_json(400, body).error, again);
    EXPECT_EQ(again, body);
  }
}

TEST(ClientErrorJson, an_unknown_error_becomes_the_nearest_known_one) {
  const auto code = [](int status, std::string_view body) { return read_error_json(status, body).error.code; };
  EXPECT_EQ(code(400, R"({"__type":"a#UnrecognizedClientException","message":"m"})"), ErrorCode::kAccessDenied);
  EXPECT_EQ(code(400, R"({"__type":"NewException"})"), ErrorCode::kValidation);
  EXPECT_EQ(code(500, R"({"__type":"NewException"})"), ErrorCode::kInternal);
  EXPECT_EQ(code(503, "<html>"), ErrorCode::kServiceUnavailable);
  EXPECT_EQ(code(403, ""), ErrorCode::kAccessDenied);
  EXPECT_EQ(read_error_json(400, R"({"__type":"a#NewException","Message":"m"})").error.message, "NewException: m");
  EXPECT_EQ(read_error_json(502, "Bad Gateway").error.message, "HTTP status 502: Bad Gateway");
}

}  // namespace
}  // namespace trestle
