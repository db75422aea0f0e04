// ExecuteStatement, BatchExecuteStatement and ExecuteTransaction: PartiQL.
#pragma once

#include "model/error.h"
#include "model/parameters.h"

namespace trestle {

// One statement with its parameters.
struct Statement {
  std::string text;
  std::vector<Value> parameters;
  // The error in the parameters, if any. It takes precedence over every other error of the statement. A request with
  // several statements reports it for this statement.
  std::optional<std::string> parameters_fault;
  bool consistent_read = false;
  bool return_item_on_failure = false;
};

struct ExecuteStatementRequest {
  Statement statement;
  std::optional<int64_t> limit;
  std::optional<std::string> next_token;  // from a previous response
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct ExecuteStatementResponse {
  ItemList items;
  std::optional<std::string> next_token;  // bound to the statement and its parameters
  std::optional<Item> last_evaluated_key;
  std::optional<ConsumedCapacity> consumed_capacity;
};

struct BatchExecuteStatementRequest {
  std::vector<Statement> statements;  // 1 to 25
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct BatchStatementResponse {
  std::optional<std::string> table_name;  // if the statement was understood as far as its table
  std::optional<Item> item;
  std::optional<Error> error;
};

struct BatchExecuteStatementResponse {
  std::vector<BatchStatementResponse> responses;    // in the order of the request
  std::vector<ConsumedCapacity> consumed_capacity;  // by table, in the order of first mention
};

struct ExecuteTransactionRequest {
  std::vector<Statement> statements;  // 1 to 100, all reads or all writes
  std::optional<std::string> client_request_token;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct ExecuteTransactionResponse {
  std::vector<std::optional<Item>> items;  // results of reads, in the order of the request; empty for writes
  std::vector<ConsumedCapacity> consumed_capacity;
};

}  // namespace trestle
