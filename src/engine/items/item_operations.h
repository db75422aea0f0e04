// DynamoDB's operations on items.
#pragma once

#include "engine/parts.h"
#include "model/database.h"

namespace trestle {

Result<BatchGetItemResponse> batch_get_item(ItemParts& parts, const BatchGetItemRequest& request, Call& call);
Result<BatchWriteItemResponse> batch_write_item(ItemParts& parts, const BatchWriteItemRequest& request, Call& call);
Result<DeleteItemResponse> delete_item(ItemParts& parts, const DeleteItemRequest& request, Call& call);
Result<GetItemResponse> get_item(ItemParts& parts, const GetItemRequest& request, Call& call);
Result<PutItemResponse> put_item(ItemParts& parts, const PutItemRequest& request, Call& call);
Result<QueryResponse> query(ItemParts& parts, const QueryRequest& request, Call& call);
Result<ScanResponse> scan(ItemParts& parts, const ScanRequest& request, Call& call);
Result<UpdateItemResponse> update_item(ItemParts& parts, const UpdateItemRequest& request, Call& call);

// UpdateItem limits the sizes of its expression and of the item; a PartiQL UPDATE limits only the item.
enum class UpdateSizeRule { kExpressionAndItem, kItem };
Result<UpdateItemResponse> update_item(ItemParts& parts, const UpdateItemRequest& request, Call& call,
                                       UpdateSizeRule size_rule);

}  // namespace trestle
