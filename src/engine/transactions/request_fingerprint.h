// Identifies equal TransactWriteItems requests: all their effects, independent of the order of maps. Options of the
// response (ReturnConsumedCapacity, ReturnItemCollectionMetrics) are not part of it.
#pragma once

#include "model/transact_requests.h"
#include "storage/catalog/request_tokens.h"

namespace trestle {

Fingerprint request_fingerprint(const TransactWriteItemsRequest& request);

}  // namespace trestle
