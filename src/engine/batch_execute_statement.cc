#include <algorithm>

#include "engine/capacity_sum.h"
#include "engine/select_statement.h"
#include "engine/write_statement.h"
#include "expression/partiql_parser.h"

namespace trestle {
// Each statement for itself: one that fails leaves the others alone.
Result<BatchExecuteStatementResponse> Engine::batch_execute_statement(const BatchExecuteStatementRequest& request,
                                                                      Call& call) {
  std::vector<Result<PartiqlStatement>> statements;
  size_t reads = 0;
  size_t writes = 0;
  for (const Statement& given : request.statements) {
    if (given.parameters_fault) {
      statements.push_back(invalid(*given.parameters_fault));
      continue;
    }
    statements.push_back(parse_partiql(given.text));
    if (statements.back()) ++(statements.back()->is_read() ? reads : writes);
  }
  if (reads > 0 && writes > 0) {
    return invalid("BatchExecuteStatement API does not support both read and write operations in the same request.");
  }

  std::vector<std::string_view> names;
  for (const auto& statement : statements) {
    if (statement) names.push_back(statement->table_name);
  }
  note_table(names, call);

  BatchExecuteStatementResponse response;
  CapacitySum capacity;
  for (size_t i = 0; i < statements.size(); ++i) {
    BatchStatementResponse& answer = response.responses.emplace_back();
    if (!statements[i]) {
      answer.error = statements[i].error();
      continue;
    }
    const PartiqlStatement& statement = *statements[i];
    const Statement& given = request.statements[i];
    const std::string table_name(table_name_of(statement.table_name).value_or(statement.table_name));
    if (statement.verb == PartiqlVerb::kExists) {
      answer.error = Error{ErrorCode::kValidation, "EXISTS can only be used in ExecuteTransaction write requests."};
    } else if (statement.is_read()) {
      auto one = SelectStatement(*this, statement, given, call)
                     .one_item("BatchExecuteStatement", request.return_consumed_capacity);
      if (!one) {
        answer.error = std::move(one).error();
        continue;
      }
      answer.table_name = table_name;
      answer.item = std::move(one->item);
      capacity.add(one->consumed_capacity);
    } else {
      bool reached = false;
      auto written = WriteStatement(*this, statement, given, call).run(request.return_consumed_capacity, &reached);
      if (reached) answer.table_name = table_name;
      if (!written) {
        answer.error = std::move(written).error();
        answer.error->item = nullptr;  // the API has a place for it, and leaves it empty
        continue;
      }
      answer.item = std::move(written->attributes);
      capacity.add(written->consumed_capacity);
    }
  }
  response.consumed_capacity = capacity.release();
  return response;
}

}  // namespace trestle
