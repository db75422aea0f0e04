// The server's direction of the protocol, for every operation: a request of its JSON, and a response as JSON.
//
//   TRY_INTO(const PutItemRequest request, read_put_item_json(input));
//   ... the database answers ...
//   write_put_item_json(response, out);
//
// Reading refuses everything that DynamoDB refuses before it looks at a table, in its order and with its words. Most
// operations are derived from their shapes (model/shapes); those that are not are in by_hand.h.
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
