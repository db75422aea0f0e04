// The table of a PartiQL statement.
#pragma once

#include "engine/parts.h"
#include "expression/partiql/partiql_ast.h"
#include "model/statement_requests.h"

namespace trestle {

using FoundTable = Result<std::shared_ptr<const TableVersion>>;

// `found`: what was found under the statement's table name. Where there is no table, what is wrong with the statement's
// expressions by themselves is reported instead.
FoundTable table_or_statement_fault(FoundTable found, const PartiqlStatement& statement,
                                    const Statement& request_statement);

}  // namespace trestle
