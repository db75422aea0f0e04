// DynamoDB's PartiQL operations.
#pragma once

#include "engine/parts.h"
#include "model/database.h"

namespace trestle {

Result<BatchExecuteStatementResponse> batch_execute_statement(ItemParts& parts,
                                                              const BatchExecuteStatementRequest& request, Call& call);
Result<ExecuteStatementResponse> execute_statement(ItemParts& parts, const ExecuteStatementRequest& request,
                                                   Call& call);
Result<ExecuteTransactionResponse> execute_transaction(EngineParts& parts, const ExecuteTransactionRequest& request,
                                                       Call& call);

}  // namespace trestle
