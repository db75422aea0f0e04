// For tests: what a reader says of a body.
//
//   EXPECT_EQ(refusal(read_put_item_json, R"({"Item":{}})"), "1 validation error detected: ...");
#pragma once

#include <string>
#include <string_view>

#include "protocol/error_json.h"
#include "protocol/json_input.h"

namespace trestle {

template <class Request>
Result<Request> read(Result<Request> (*reader)(JsonInput), std::string_view body) {
  TRY_INTO(const JsonInput input, parse_body(body));
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

}  // namespace trestle
