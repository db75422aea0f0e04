// PartiQL literals as values, with DynamoDB's complaints, which say where inside the value the fault lies: "under
// root.a[1]".
#pragma once

#include <string>

#include "expression/partiql/partiql_ast.h"
#include "model/error.h"
#include "model/value.h"

namespace trestle {

// A literal, and whatever is inside it. Parameters, paths and calls inside a literal are refused.
Result<Value> partiql_value(const PartiqlStatement& statement, const PartiqlNode& node);

}  // namespace trestle
