#include <fmt/format.h>

#include <algorithm>

#include "engine/statements/select_statement.h"
#include "engine/statements/statement_operations.h"
#include "engine/statements/write_statement.h"
#include "engine/tables/find_table.h"
#include "engine/transactions/cancellation.h"
#include "engine/transactions/transaction_operations.h"
#include "expression/partiql/partiql_parser.h"
#include "expression/update/update.h"

namespace trestle {
namespace {

std::unexpected<Error> statement_failure(size_t i, const Error& error) {
  if (error.code != ErrorCode::kValidation) return std::unexpected(error);
  return invalid(fmt::format("Validation failed in TransactStatements[{}]: {}", i, error.message));
}

Result<std::vector<PartiqlStatement>> parse_all(const ExecuteTransactionRequest& request) {
  for (const Statement& request_statement : request.statements) {
    if (request_statement.parameters_fault) return invalid(*request_statement.parameters_fault);
  }
  std::vector<PartiqlStatement> statements;
  for (size_t i = 0; i < request.statements.size(); ++i) {
    auto statement = parse_partiql(request.statements[i].text);
    if (!statement) return statement_failure(i, statement.error());
    statements.push_back(std::move(*statement));
  }
  const auto reads = std::ranges::count_if(statements, &PartiqlStatement::is_read);
  if (reads != 0 && static_cast<size_t>(reads) != statements.size()) {
    return invalid("ExecuteTransaction API does not support both read and write operations in the same request.");
  }
  return statements;
}

// Finds errors in expressions before the transaction itself would, in order to report them for their statement.
Result<void> check_expressions(const TransactWrite& write) {
  TRY_INTO(Binding binding, Binding::make(write.placeholders, true));
  if (write.update_expression) TRY(compile_update(*write.update_expression, binding));
  if (write.condition.expression) {
    TRY(compile_condition(*write.condition.expression, ExpressionKind::kCondition, binding));
  }
  return {};
}

// Converts the reasons of a cancellation to PartiQL's codes and messages.
Error partiql_cancellation(Error error, const std::vector<PartiqlStatement>& statements) {
  if (error.code != ErrorCode::kTransactionCanceled || error.reasons == nullptr) return error;
  std::vector<CancellationReason> reasons = *error.reasons;
  for (size_t i = 0; i < reasons.size(); ++i) {
    CancellationReason& reason = reasons[i];
    if (statements[i].verb == PartiqlVerb::kInsert && reason.code == "ConditionalCheckFailed") {
      reason = {.code = "DuplicateItem", .message = kDuplicateItem};
    } else if (reason.code == "ValidationError") {
      reason.message = statement_error({ErrorCode::kValidation, reason.message}).message;
    }
  }
  error.message = cancellation_message(reasons);
  error.reasons = std::make_shared<const std::vector<CancellationReason>>(std::move(reasons));
  return error;
}

}  // namespace

Result<ExecuteTransactionResponse> execute_transaction(EngineParts& parts, const ExecuteTransactionRequest& request,
                                                       Call& call) {
  TRY_INTO(const std::vector<PartiqlStatement> statements, parse_all(request));
  std::vector<std::string_view> names;
  for (const PartiqlStatement& statement : statements) names.push_back(statement.table_name);
  note_table(parts, names, call);
  // A missing table cancels the transaction, but errors in other statements have precedence.
  Cancellation missing(statements.size());
  std::vector<std::unique_ptr<SelectStatement>> selects;
  TransactGetItemsRequest gets{.return_consumed_capacity = request.return_consumed_capacity};
  TransactWriteItemsRequest writes{.client_request_token = request.client_request_token,
                                   .return_consumed_capacity = request.return_consumed_capacity};
  for (size_t i = 0; i < statements.size(); ++i) {
    const PartiqlStatement& statement = statements[i];
    const Statement& request_statement = request.statements[i];
    const auto table = find_table(parts, statement.table_name);
    if (!table && table.error().code != ErrorCode::kResourceNotFound) return std::unexpected(table.error());
    if (!table) {
      missing.set(i, "ResourceNotFound", table.error().message);
      continue;
    }
    if (statement.is_read()) {
      selects.push_back(std::make_unique<SelectStatement>(parts, statement, request_statement, call));
      auto get = selects.back()->item_request("ExecuteTransaction");
      if (!get) return statement_failure(i, get.error());
      gets.gets.push_back({.table_name = std::move(get->table_name),
                           .key = std::move(get->key),
                           .projection = std::move(get->projection),
                           .names = std::move(get->names)});
      continue;
    }
    if (statement.returning != PartiqlReturning::kNone) {
      return statement_failure(i, {ErrorCode::kValidation, "RETURNING clause is not supported in ExecuteTransaction."});
    }
    if (statement.index_name) {
      return statement_failure(i, {ErrorCode::kValidation, "Operations on indices are not supported in transactions"});
    }
    auto write = lower_write(statement, request_statement, (*table)->description, WriteContext::kTransaction);
    if (!write) return statement_failure(i, write.error());
    if (const auto checked = check_expressions(*write); !checked) {
      return statement_failure(i, bare_expression_error(checked.error()));
    }
    writes.writes.push_back(std::move(*write));
  }
  if (missing.any()) return missing.error();

  ExecuteTransactionResponse response;
  if (!gets.gets.empty()) {
    TRY_INTO(TransactGetItemsResponse got, transact_get_items(parts, gets, call));
    for (size_t i = 0; i < got.items.size(); ++i) {
      auto& item = response.items.emplace_back();
      if (got.items[i]) item = selects[i]->in_columns(*got.items[i]);
    }
    response.consumed_capacity = std::move(got.consumed_capacity);
    return response;
  }
  auto written = transact_write_items(parts, writes, call);
  if (!written) return std::unexpected(partiql_cancellation(std::move(written).error(), statements));
  response.consumed_capacity = std::move(written->consumed_capacity);
  return response;
}

}  // namespace trestle
