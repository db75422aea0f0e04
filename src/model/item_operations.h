// The operations that read items, stream records or vectors, or the state of the expiry index. An event loop executes
// them with Call::cached_reads_only; if one needs the disk, it has had no effect, and a worker repeats it.
#pragma once

#include <concepts>

#include "model/database.h"

namespace trestle {

template <class Request, class... Requests>
inline constexpr bool kIsAnyOf = (std::same_as<Request, Requests> || ...);

template <class Request>
inline constexpr bool kReadsItems =
    kIsAnyOf<Request, GetItemRequest, BatchGetItemRequest, TransactGetItemsRequest, QueryRequest, ScanRequest,
             PutItemRequest, UpdateItemRequest, DeleteItemRequest, BatchWriteItemRequest, TransactWriteItemsRequest,
             ExecuteStatementRequest, BatchExecuteStatementRequest, ExecuteTransactionRequest, GetRecordsRequest,
             SearchVectorsRequest, DescribeTimeToLiveRequest>;

}  // namespace trestle
