// The server's side of the protocol, for every operation: reads requests from JSON and writes responses as JSON.
//
//   TRY_INTO(const PutItemRequest request, read_put_item_json(input));
//   ... the database executes the request ...
//   write_put_item_json(response, out);
//
// Reading rejects everything that DynamoDB rejects before it looks at a table, in DynamoDB's order and with its
// messages. Most operations are derived from their shapes (model/shapes); the others are in by_hand.h.
#pragma once

#include <string>

#include "model/database.h"
#include "protocol/json/json_input.h"

namespace trestle {

#define TRESTLE_DECLARE(Name, name)                          \
  Result<Name##Request> read_##name##_json(JsonInput input); \
  void write_##name##_json(const Name##Response& response, std::string& out);
TRESTLE_OPERATIONS(TRESTLE_DECLARE)
#undef TRESTLE_DECLARE

}  // namespace trestle
