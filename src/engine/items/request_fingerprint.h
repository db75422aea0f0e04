// What makes two TransactWriteItems the same request: everything they do, whatever order their maps were sent in. What
// they ask to be told (ReturnConsumedCapacity, ReturnItemCollectionMetrics) is no part of it.
#pragma once

#include "model/transact_requests.h"
#include "storage/catalog/request_tokens.h"

namespace trestle {

Fingerprint request_fingerprint(const TransactWriteItemsRequest& request);

}  // namespace trestle
