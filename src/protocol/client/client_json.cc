#include "protocol/client/client_json.h"

namespace trestle {
namespace {

simdjson::dom::parser& reply_parser() {
  static thread_local simdjson::dom::parser parser;
  return parser;
}

Result<JsonInput> object_of(simdjson::simdjson_result<simdjson::dom::element> parsed) {
  simdjson::dom::object object;
  if (parsed.get_object().get(object) != simdjson::SUCCESS) return serialization_failure("not a JSON object");
  return JsonInput(object);
}

Result<void> check_parameters(const Statement& statement) {
  if (statement.parameters_fault) return invalid(*statement.parameters_fault);
  return {};
}

Result<void> check_statements(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) TRY(check_parameters(statement));
  return {};
}

// The first fault in the actions of a transaction.
template <class Action>
Result<void> check_actions(const std::vector<Action>& actions) {
  for (const Action& action : actions) {
    if (action.fault) return invalid(*action.fault);
  }
  return {};
}

}  // namespace

Result<JsonInput> parse_reply(std::string_view body) {
  return object_of(reply_parser().parse(body.data(), body.size(), /*realloc_if_needed=*/true));
}

Result<JsonInput> parse_padded_reply(std::string_view body) {
  return object_of(reply_parser().parse(body.data(), body.size(), /*realloc_if_needed=*/false));
}

Result<void> check_writable(const ExecuteStatementRequest& request) { return check_parameters(request.statement); }
Result<void> check_writable(const BatchExecuteStatementRequest& request) {
  return check_statements(request.statements);
}
Result<void> check_writable(const ExecuteTransactionRequest& request) { return check_statements(request.statements); }
Result<void> check_writable(const TransactGetItemsRequest& request) { return check_actions(request.gets); }
Result<void> check_writable(const TransactWriteItemsRequest& request) { return check_actions(request.writes); }
Result<void> check_writable(const UpdateTableRequest& request) {
  if (request.replica_updates) return invalid("ReplicaUpdates cannot be passed on to another endpoint");
  return {};
}

// A response without Items is a count.
Result<void> read_response_by_hand(JsonInput input, PageResponse& response) {
  response.items_returned = false;
  return read_shape(input, response);
}

}  // namespace trestle
