// The operation table: for each operation of DynamoDB's API, the function that parses the request, calls Database and
// writes the response as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/database.h"
#include "protocol/json/json_input.h"

namespace trestle {

class Admission;

// What an operation does, which decides on which thread it runs.
enum class Work : uint8_t {
  kItems,        // reads and writes of items and descriptions: an event loop may run it, without waiting for the disk
  kSearch,       // likewise; a search that takes long runs on threads of its own
  kTableChange,  // changes the catalog or uses buckets, and waits for a sync: never on an event loop
};

struct Operation {
  std::string_view name;  // "PutItem"
  Work work = Work::kTableChange;
  // Parses the request, executes it and appends the JSON of the response. `admission` is checked in between; null: no
  // access control and no audit log.
  Result<void> (*run)(Database& database, JsonInput input, Call& call, Admission* admission,
                      std::string& out) = nullptr;
};

// nullptr if there is no such operation.
const Operation* find_operation(std::string_view name);

// Whether a service name from X-Amz-Target is DynamoDB's.
bool is_dynamodb_service(std::string_view service);

}  // namespace trestle
