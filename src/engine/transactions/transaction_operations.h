// DynamoDB's transaction operations.
#pragma once

#include "engine/parts.h"
#include "model/database.h"

namespace trestle {

Result<TransactGetItemsResponse> transact_get_items(ItemParts& parts, const TransactGetItemsRequest& request,
                                                    Call& call);
Result<TransactWriteItemsResponse> transact_write_items(EngineParts& parts, const TransactWriteItemsRequest& request,
                                                        Call& call);

}  // namespace trestle
