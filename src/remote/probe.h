// What an endpoint lacks: which of the operations that Database declares it does not have.
//
// Each operation is asked once, with a request that a complete endpoint refuses or that only reads: about a table whose
// name nobody uses. No request can change anything, and no answer but "I do not have this operation" counts: a refusal
// by the caller's permissions says nothing of the endpoint.
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
  std::string answer;          // what the endpoint says
};

// Fails when the endpoint cannot be reached, or answers nothing at all.
Result<std::vector<LackingOperation>> probe(Database& database);

}  // namespace trestle
