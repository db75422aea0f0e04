#include "protocol/json/json_input.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace trestle {
namespace {

// Reads the member "a" of a body with a function; returns the error message, or "ok".
template <class Read>
std::string reading_error(std::string_view value, Read read) {
  const auto input = parse_body(fmt::format(R"({{"a":{}}})", value));
  if (!input.has_value()) return "not parsed";
  for (const JsonMember member : *input) {
    const auto result = read(member.value);
    if (!result.has_value()) {
      EXPECT_EQ(result.error().code, ErrorCode::kSerialization);
      return result.error().message;
    }
  }
  return "ok";
}

TEST(JsonInput, text_that_is_not_a_json_object_is_refused_without_a_message) {
  for (std::string_view body : {"{", "}{", "7", "[]", "\"a\"", "null", "{'a':1}", "{\"a\":\"\xff\"}", "\n"}) {
    const auto input = parse_body(body);
    ASSERT_FALSE(input.has_value()) << body;
    EXPECT_EQ(input.error().code, ErrorCode::kSerialization);
    EXPECT_EQ(input.error().message, "");
  }
}

TEST(JsonInput, nesting_without_end_is_refused_and_not_recursed_into) {
  std::string body;
  for (int i = 0; i < 200000; ++i) body.append("{\"a\":");
  EXPECT_FALSE(parse_body(body).has_value());
}

TEST(JsonInput, an_empty_body_has_no_members) {
  const auto input = parse_body("");
  ASSERT_TRUE(input.has_value());
  EXPECT_FALSE(input->begin() != input->end());
}

TEST(JsonInput, a_padded_body_is_read_in_place) {
  std::string body = R"({"a":"b"})";
  const size_t size = body.size();
  body.append(kJsonPaddingBytes, '\xff');
  const auto input = parse_padded_body(std::string_view(body).substr(0, size));
  ASSERT_TRUE(input.has_value());
  EXPECT_EQ((*input->begin()).name, "a");
}

TEST(JsonInput, members_come_in_document_order_without_nulls) {
  const auto input = parse_body(R"({"b":1,"n":null,"a":2,"m":null})");
  ASSERT_TRUE(input.has_value());
  std::string names;
  for (const JsonMember member : *input) names.append(member.name);
  EXPECT_EQ(names, "ba");
}

TEST(JsonInput, strings_are_refused_as_dynamodb_refuses_them) {
  EXPECT_EQ(reading_error("\"x\"", json_string), "ok");
  EXPECT_EQ(reading_error("true", json_string), "TRUE_VALUE cannot be converted to String");
  EXPECT_EQ(reading_error("false", json_string), "FALSE_VALUE cannot be converted to String");
  EXPECT_EQ(reading_error("23", json_string), "NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(reading_error("-2147483648", json_string), "NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(reading_error("34.56", json_string), "DECIMAL_VALUE cannot be converted to String");
  EXPECT_EQ(reading_error("[]", json_string), "Unrecognized collection type class java.lang.String");
  EXPECT_EQ(reading_error("{}", json_string), "Start of structure or map found where not expected");
}

TEST(JsonInput, booleans_may_be_words) {
  for (std::string_view yes : {"true", "\"true\"", "\"TRUE\"", "\"1\"", "\"yes\""}) {
    EXPECT_EQ(reading_error(yes,
                            [](JsonElement value) -> Result<void> {
                              TRY_INTO(const bool read, json_boolean(value));
                              EXPECT_TRUE(read);
                              return {};
                            }),
              "ok");
  }
  EXPECT_EQ(reading_error("\"no\"", json_boolean), "ok");
  EXPECT_EQ(reading_error("\"maybe\"", json_boolean), "Unexpected token received from parser");
  EXPECT_EQ(reading_error("23", json_boolean), "NUMBER_VALUE cannot be converted to Boolean");
  EXPECT_EQ(reading_error("34.56", json_boolean), "DECIMAL_VALUE cannot be converted to Boolean");
  EXPECT_EQ(reading_error("[]", json_boolean), "Unrecognized collection type class java.lang.Boolean");
  EXPECT_EQ(reading_error("{}", json_boolean), "Start of structure or map found where not expected");
}

TEST(JsonInput, integers_lose_their_fraction_and_are_clamped) {
  const auto read = [](JsonElement value) { return json_integer(value, "Integer"); };
  EXPECT_EQ(reading_error("\"1\"", read), "STRING_VALUE cannot be converted to Integer");
  EXPECT_EQ(reading_error("true", read), "TRUE_VALUE cannot be converted to Integer");
  EXPECT_EQ(reading_error("[]", read), "Unrecognized collection type class java.lang.Integer");
  EXPECT_EQ(reading_error("{}", read), "Start of structure or map found where not expected");
  for (const auto& [text, expected] : {std::pair<std::string, int64_t>{"34.56", 34},
                                       {"-1", -1},
                                       {"1e300", INT64_MAX},
                                       {"-1e300", INT64_MIN},
                                       {"18446744073709551615", INT64_MAX}}) {
    EXPECT_EQ(reading_error(text,
                            [&](JsonElement value) -> Result<void> {
                              TRY_INTO(const int64_t number, json_integer(value, "Long"));
                              EXPECT_EQ(number, expected);
                              return {};
                            }),
              "ok");
  }
}

TEST(JsonInput, lists_are_refused_as_dynamodb_refuses_them) {
  EXPECT_EQ(reading_error("[]", json_list), "ok");
  for (std::string_view value : {"\"23\"", "true", "23", "34.56"}) {
    EXPECT_EQ(reading_error(value, json_list), "Unexpected field type");
  }
  EXPECT_EQ(reading_error("{}", json_list), "Start of structure or map found where not expected");
  EXPECT_EQ(reading_error("[\"a\", 1]", json_string_list), "NUMBER_VALUE cannot be converted to String");
}

TEST(JsonInput, maps_are_refused_with_the_type_of_their_elements) {
  const auto values = [](JsonElement value) { return json_map(value, "AttributeValue"); };
  const auto strings = [](JsonElement value) { return json_map(value, "java.lang.String"); };
  EXPECT_EQ(reading_error("{}", values), "ok");
  EXPECT_EQ(reading_error("\"23\"", values), "Unexpected field type");
  EXPECT_EQ(reading_error("[]", values),
            "Unrecognized collection type java.util.Map<java.lang.String, "
            "com.amazonaws.dynamodb.v20120810.AttributeValue>");
  EXPECT_EQ(reading_error("[]", strings),
            "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>");
}

TEST(JsonInput, structures_are_refused_by_where_they_stand) {
  const auto member = [](JsonElement value) { return json_structure(value, "Projection", JsonPlace::kMember); };
  const auto element = [](JsonElement value) { return json_structure(value, "Tag", JsonPlace::kElement); };
  EXPECT_EQ(reading_error("23", member), "Unexpected field type");
  EXPECT_EQ(reading_error("23", element), "Unexpected value type in payload");
  EXPECT_EQ(reading_error("[]", element), "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.Tag");
}

TEST(JsonInput, binary_must_be_a_base64_string) {
  const auto read = [](JsonElement value) {
    std::string bytes;
    return json_binary(value, bytes);
  };
  EXPECT_EQ(reading_error("\"AA==\"", read), "ok");
  for (std::string_view value : {"true", "23", "34.56"}) {
    EXPECT_EQ(reading_error(value, read), "only base-64-encoded strings are convertible to bytes");
  }
  EXPECT_EQ(reading_error("[]", read), "Unrecognized collection type class java.nio.ByteBuffer");
  EXPECT_EQ(reading_error("{}", read), "Start of structure or map found where not expected");
  EXPECT_EQ(reading_error("\"abc\"", read), "Base64 encoded length is expected a multiple of 4 bytes but found: 3");
}

}  // namespace
}  // namespace trestle
