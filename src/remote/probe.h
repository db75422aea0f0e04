// Finds the operations of Database that an endpoint does not implement.
//
// Sends each operation once, with a request that cannot change anything: it only reads, or a complete endpoint rejects
// it, because it names a table that does not exist. Only an "unknown operation" reply counts; a rejection for lack of
// permissions says nothing about the endpoint.
//
//   TRY_INTO(const auto lacking, probe(database));
//   for (const auto& [operation, answer] : lacking) fmt::print("{}: {}\n", operation, answer);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/database.h"

namespace trestle {

struct LackingOperation {
  std::string_view operation;  // "TransactWriteItems"
  std::string answer;          // the endpoint's reply
};

// Fails if the endpoint cannot be reached or does not reply.
Result<std::vector<LackingOperation>> probe(Database& database);

}  // namespace trestle
