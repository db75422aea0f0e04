// A fingerprint that identifies TransactWriteItems requests with the same effects. It does not depend on the order of
// maps, nor on options of the response (ReturnConsumedCapacity, ReturnItemCollectionMetrics).
#pragma once

#include "model/transact_requests.h"
#include "storage/catalog/request_tokens.h"

namespace trestle {

Fingerprint request_fingerprint(const TransactWriteItemsRequest& request);

}  // namespace trestle
