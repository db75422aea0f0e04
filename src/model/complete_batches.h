// BatchGetItem and BatchWriteItem until nothing is left over, of any number of keys or writes.
//
//   TRY_INTO(const auto found, batch_get_all(database, {.tables = {{.table_name = "music", .keys = keys}}}));
//
// A request is sent in pieces of the size that DynamoDB allows; what a reply leaves unprocessed is sent again, with
// what is still to be sent. After a reply that processed nothing the caller waits (base/backoff.h). When `stalls_max`
// replies in a row process nothing, the answer is kProvisionedThroughputExceeded; what was written stays written.
// A table appears in an answer once; items are in no order. Consumed capacity is summed by table.
#pragma once

#include "base/backoff.h"
#include "model/database.h"

namespace trestle {

struct BatchPacing {
  Backoff backoff = {};
  unsigned stalls_max = 8;
  Sleeper sleeper = {};
};

Result<BatchGetItemResponse> batch_get_all(Database& database, BatchGetItemRequest request,
                                           const BatchPacing& pacing = {});
Result<BatchWriteItemResponse> batch_write_all(Database& database, BatchWriteItemRequest request,
                                               const BatchPacing& pacing = {});

}  // namespace trestle
