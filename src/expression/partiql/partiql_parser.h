// Parses a PartiQL statement. Rejects, with DynamoDB's messages, errors that depend on the text alone: syntax errors
// ("Statement wasn't well formed, can't be processed: ..."), aliases, clauses that DynamoDB does not execute, table
// paths with more than two components.
//
//   statement := SELECT (* | path, ...) FROM table [WHERE or] [ORDER BY name [ASC | DESC], ...]
//              | INSERT INTO table VALUE map
//              | UPDATE table change+ [WHERE or] [returning] | FROM table [WHERE or] change+ [returning]
//              | DELETE FROM table [WHERE or] [returning]
//              | EXISTS ( SELECT ... )                            each with or without a final semicolon
//   change    := SET path = sum (, path = sum)* | REMOVE path
//   returning := RETURNING (ALL | MODIFIED) (OLD | NEW) *
//   or        := and (OR and)*;  and := not (AND not)*;  not := NOT not | comparison
//   comparison := sum (= | <> | < | <= | > | >= sum | [NOT] IN sum | [NOT] BETWEEN sum AND sum | IS [NOT] type)*
//   sum       := product ((+ | - | ||) product)*;  product := unary ((* | / | %) unary)*
//   term      := literal | ? | path | function ( or, ... ) | ( or ) | [ or, ... ] | { or : or, ... } | << or, ... >>
//
// Recursion depth is bounded, so no text overflows the stack.
#pragma once

#include <string_view>

#include "expression/partiql/partiql_ast.h"
#include "model/error.h"

namespace trestle {

Result<PartiqlStatement> parse_partiql(std::string_view text);

// "1:20:7".
std::string position_text(const PartiqlPosition& at);

}  // namespace trestle
