// Converts PartiQL literals to values. DynamoDB's error messages say where inside the value the error is: "under
// root.a[1]".
#pragma once

#include <string>

#include "expression/partiql/partiql_ast.h"
#include "model/error.h"
#include "model/value.h"

namespace trestle {

// The value of a literal, including nested literals. Parameters, paths and calls inside a literal are rejected.
Result<Value> partiql_value(const PartiqlStatement& statement, const PartiqlNode& node);

}  // namespace trestle
