// Error responses: the table that maps an ErrorCode to its exception name and HTTP status, and the JSON body.
//
//   {"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"}
#pragma once

#include <string>
#include <string_view>

#include "model/error.h"

namespace trestle {

struct ErrorShape {
  std::string_view type;  // with its namespace, as in __type
  int http_status = 400;
  std::string_view message_key;  // "message" or "Message", depending on the layer of DynamoDB
};
const ErrorShape& error_shape(ErrorCode code);
// The exception's name without namespace: "ValidationException".
std::string_view error_name(ErrorCode code);

// Appends the body. An empty message is omitted. A failed condition includes its item, and a cancelled transaction its
// reasons.
void write_error_json(const Error& error, std::string& out);
// The same for exceptions without an ErrorCode, such as those about signatures.
void write_error_json(const ErrorShape& shape, std::string_view message, std::string& out);

}  // namespace trestle
