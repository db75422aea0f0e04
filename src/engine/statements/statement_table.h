// The table of a PartiQL statement.
#pragma once

#include "engine/parts.h"
#include "expression/partiql/partiql_ast.h"
#include "model/statement_requests.h"

namespace trestle {

using FoundTable = Result<std::shared_ptr<const TableVersion>>;

// `found` is the result of looking up the statement's table. If there is no such table but the statement's expressions
// are invalid in themselves, returns the expressions' error instead.
FoundTable table_or_statement_error(FoundTable found, const PartiqlStatement& statement,
                                    const Statement& request_statement);

}  // namespace trestle
