// NextToken of ExecuteStatement: the continuation token of a SELECT. Opaque to clients, and bound to the statement and
// its parameters.
//
//   token := base64 of: 01, u64 big endian fingerprint of statement and parameters, varint read, sized start key
//            (empty: none)
//
// A client may use a token after a restart or an upgrade: never change this format, only add a version.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/statement_requests.h"

namespace trestle {

struct StatementPlace {
  size_t read = 0;  // index of the read in the plan
  std::optional<Item> after;
};

std::string statement_token(const Statement& statement, const StatementPlace& place);
Result<StatementPlace> read_statement_token(const Statement& statement, std::string_view text);

}  // namespace trestle
