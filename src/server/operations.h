// The operation table: for each operation of DynamoDB's API, how its JSON becomes a call of Database and its answer JSON.
#pragma once

#include <string>
#include <string_view>

#include "model/database.h"
#include "protocol/json_input.h"

namespace trestle {

struct Operation {
  std::string_view name;  // "PutItem"
  // Reads the request, makes the call and appends the answer's JSON. Null: part of the API, but not of Trestle.
  Result<void> (*run)(Database& database, JsonInput input, Call& call, std::string& out) = nullptr;
};

// Null: DynamoDB has no such operation either.
const Operation* find_operation(std::string_view name);

// Whether a service name from X-Amz-Target is DynamoDB's.
bool is_dynamodb_service(std::string_view service);

}  // namespace trestle
