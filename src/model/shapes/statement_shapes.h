// The shapes of ExecuteStatement, BatchExecuteStatement and ExecuteTransaction.
#pragma once

#include "model/shapes/item_shapes.h"
#include "model/statement_requests.h"

namespace trestle {

template <>
struct Shape<Statement> : ShapeRules {
  static void members(auto& of) {
    using Of = Statement;
    of.member("Statement", &Of::text);
    of.member("Parameters", &Of::parameters, omit_default);
    of.member("ConsistentRead", &Of::consistent_read, omit_default);
    of.member("ReturnValuesOnConditionCheckFailure", &Of::return_item_on_failure, one_of(kReturnItemOnFailure),
              omit_default);
  }
};

template <>
struct Shape<ExecuteStatementRequest> : ItemRules {
  static void members(auto& of) {
    using Of = ExecuteStatementRequest;
    of.inlined(&Of::statement);
    of.member("NextToken", &Of::next_token);
    of.member("Limit", &Of::limit, integer, at_least(1));
    return_consumed_capacity<Of>(of);
  }
};
template <>
struct Shape<ExecuteStatementResponse> : ShapeRules {
  static void members(auto& of) {
    using Of = ExecuteStatementResponse;
    of.member("ConsumedCapacity", &Of::consumed_capacity);
    of.member("Items", &Of::items);
    of.member("LastEvaluatedKey", &Of::last_evaluated_key);
    of.member("NextToken", &Of::next_token);
  }
};

template <>
struct Shape<BatchExecuteStatementRequest> : ItemRules {
  static void members(auto& of) {
    of.member("Statements", &BatchExecuteStatementRequest::statements, count(1, kBatchStatementsMax));
    return_consumed_capacity<BatchExecuteStatementRequest>(of);
  }
};
template <>
struct Shape<BatchStatementResponse> : ShapeRules {
  static void members(auto& of) {
    using Of = BatchStatementResponse;
    of.member("Error", &Of::error);
    of.member("Item", &Of::item);
    of.member("TableName", &Of::table_name);
  }
};
template <>
struct Shape<BatchExecuteStatementResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("ConsumedCapacity", &BatchExecuteStatementResponse::consumed_capacity, omit_default);
    of.member("Responses", &BatchExecuteStatementResponse::responses);
  }
};

template <>
struct Shape<ExecuteTransactionRequest> : ItemRules {
  static void members(auto& of) {
    using Of = ExecuteTransactionRequest;
    of.member("TransactStatements", &Of::statements, count(1, kTransactionItemsMax));
    of.member("ClientRequestToken", &Of::client_request_token, length(1, kRequestTokenLengthMax));
    return_consumed_capacity<Of>(of);
  }
};
template <>
struct Shape<ExecuteTransactionResponse> : ShapeRules {
  static void members(auto& of) {
    of.member("ConsumedCapacity", &ExecuteTransactionResponse::consumed_capacity, omit_default);
    of.member("Responses", &ExecuteTransactionResponse::items, wrapped_in("ItemResponse", "Item"));
  }
};

}  // namespace trestle
