#include "engine/statements/select_statement.h"
#include "engine/statements/statement_operations.h"
#include "engine/statements/write_statement.h"
#include "expression/partiql/partiql_parser.h"

namespace trestle {

Result<ExecuteStatementResponse> execute_statement(ItemParts& parts, const ExecuteStatementRequest& request,
                                                   Call& call) {
  const Statement& request_statement = request.statement;
  if (request_statement.parameters_fault) return invalid(*request_statement.parameters_fault);
  TRY_INTO(const PartiqlStatement statement, parse_partiql(request_statement.text));
  call.table_name = statement.table_name;
  if (statement.verb == PartiqlVerb::kExists) {
    return invalid("EXISTS can only be used in ExecuteTransaction write requests.");
  }
  if (statement.is_read()) return SelectStatement(parts, statement, request_statement, call).page(request);
  WriteStatement write(parts, statement, request_statement, call);
  TRY(write.prepare());
  TRY_INTO(WriteItemResponse written, write.run(request.return_consumed_capacity));
  ExecuteStatementResponse response{.consumed_capacity = std::move(written.consumed_capacity)};
  if (written.attributes) response.items.add(*written.attributes);
  return response;
}

}  // namespace trestle
