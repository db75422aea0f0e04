#include "engine/statements/statement_table.h"

#include "expression/condition.h"
#include "expression/partiql/partiql_lowering.h"
#include "expression/update/update.h"

namespace trestle {
namespace {

Result<void> check_statement_expressions(const PartiqlStatement& statement, const Statement& request_statement) {
  if (statement.columns_fault) return invalid(*statement.columns_fault);
  PartiqlLowering lowering(statement, request_statement.parameters);
  std::optional<std::string> update;
  std::optional<std::string> condition;
  if (statement.verb == PartiqlVerb::kUpdate) {
    TRY_INTO(update, lowering.update());
  }
  if (statement.where) {
    TRY_INTO(condition, lowering.condition(*statement.where));
  }
  if (!update && !condition) return {};
  const Placeholders placeholders = lowering.release_placeholders();
  TRY_INTO(Binding binding, Binding::make(placeholders, true));
  if (update) TRY(compile_update(*update, binding));
  if (condition) TRY(compile_condition(*condition, ExpressionKind::kCondition, binding));
  return {};
}

}  // namespace

FoundTable table_or_statement_error(FoundTable found, const PartiqlStatement& statement,
                                    const Statement& request_statement) {
  if (found) return found;
  if (auto checked = check_statement_expressions(statement, request_statement); !checked) {
    return std::unexpected(bare_expression_error(std::move(checked).error()));
  }
  return found;
}

}  // namespace trestle
