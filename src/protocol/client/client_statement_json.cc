// ExecuteStatement, BatchExecuteStatement and ExecuteTransaction in the client's direction.
#include "protocol/client/client_error_json.h"
#include "protocol/client/client_input.h"
#include "protocol/client/client_json.h"
#include "protocol/client/client_output.h"

namespace trestle {
namespace {

void put_statement(JsonOutput& json, const Statement& statement) {
  put(json, "Statement", statement.text);
  if (!statement.parameters.empty()) put(json, "Parameters", statement.parameters);
  put_flag(json, "ConsistentRead", statement.consistent_read);
  if (statement.return_item_on_failure) json.member("ReturnValuesOnConditionCheckFailure", "ALL_OLD");
}

Result<void> check_statements(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    if (statement.parameters_fault) return invalid(*statement.parameters_fault);
  }
  return {};
}

Result<void> take_statement_error(JsonElement json, BatchStatementResponse& response) {
  std::string code;
  Error error;
  TRY(take_members(json, into("Code", code), into("Message", error.message)));
  error.code = statement_error_code(code);
  response.error = std::move(error);
  return {};
}

}  // namespace

Result<void> take(JsonElement json, BatchStatementResponse& response) {
  return take_members(json, into("Error", [&](JsonElement element) { return take_statement_error(element, response); }),
                      into("Item", response.item), into("TableName", response.table_name));
}

void write_request_by_hand(const ExecuteStatementRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put_statement(json, request.statement);
  put(json, "NextToken", request.next_token);
  put(json, "Limit", request.limit);
  put_return_consumed_capacity(json, request.return_consumed_capacity);
  json.end_object();
}

void write_request_by_hand(const BatchExecuteStatementRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put_list(json, "Statements", request.statements, put_statement);
  put_return_consumed_capacity(json, request.return_consumed_capacity);
  json.end_object();
}

void write_request_by_hand(const ExecuteTransactionRequest& request, std::string& out) {
  JsonOutput json(out);
  json.begin_object();
  put_list(json, "TransactStatements", request.statements, put_statement);
  put(json, "ClientRequestToken", request.client_request_token);
  put_return_consumed_capacity(json, request.return_consumed_capacity);
  json.end_object();
}

Result<void> check_writable(const ExecuteStatementRequest& request) {
  if (request.statement.parameters_fault) return invalid(*request.statement.parameters_fault);
  return {};
}
Result<void> check_writable(const BatchExecuteStatementRequest& request) {
  return check_statements(request.statements);
}
Result<void> check_writable(const ExecuteTransactionRequest& request) { return check_statements(request.statements); }

Result<void> read_response_by_hand(JsonInput input, ExecuteStatementResponse& response) {
  return take_members(input, into("Items", response.items), into("NextToken", response.next_token),
                      into("LastEvaluatedKey", response.last_evaluated_key),
                      into("ConsumedCapacity", response.consumed_capacity));
}

Result<void> read_response_by_hand(JsonInput input, BatchExecuteStatementResponse& response) {
  return take_members(input, into("Responses", response.responses),
                      into("ConsumedCapacity", response.consumed_capacity));
}

Result<void> read_response_by_hand(JsonInput input, ExecuteTransactionResponse& response) {
  TransactGetItemsResponse read;  // has the same shape
  TRY(read_response_json(input, read));
  response.items = std::move(read.items);
  response.consumed_capacity = std::move(read.consumed_capacity);
  return {};
}

}  // namespace trestle
