// For tests: the error with which a reader rejects a body.
//
//   EXPECT_EQ(refusal(read_put_item_json, R"({"Item":{}})"), "1 validation error detected: ...");
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "protocol/json/error_json.h"
#include "protocol/json/json_input.h"

namespace trestle {

template <class Request>
Result<Request> read(Result<Request> (*reader)(JsonInput), std::string_view body) {
  auto parsed = parse_body(body);
  EXPECT_TRUE(parsed.has_value()) << body;  // text that is not JSON is rejected before a reader sees it
  TRY_INTO(const JsonInput input, std::move(parsed));
  return reader(input);
}

// "accepted", the message of a ValidationException, or another exception's name and message.
template <class Request>
std::string refusal(Result<Request> (*reader)(JsonInput), std::string_view body) {
  const auto request = read(reader, body);
  if (request.has_value()) return "accepted";
  const Error& error = request.error();
  if (error.code == ErrorCode::kValidation) return error.message;
  return std::string(error_name(error.code)) + ": " + error.message;
}

// The message of a request with a single validation error.
inline std::string single_error(std::string_view message) {
  return "1 validation error detected: " + std::string(message);
}

// The current layer's message for an unknown ReturnValues.
inline constexpr std::string_view kReturnValuesSet =
    "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, "
    "NONE]";

}  // namespace trestle
