// BatchGetItem and BatchWriteItem for any number of keys or writes, repeated until nothing is unprocessed.
//
//   TRY_INTO(const auto found, batch_get_all(database, {.tables = {{.table_name = "music", .keys = keys}}}));
//
// A request is sent in batches of the size that DynamoDB allows; unprocessed keys or writes of a reply are sent again
// with the next batch. After a reply that processed nothing, the caller backs off (base/backoff.h). When `stalls_max`
// replies in a row process nothing, the result is kProvisionedThroughputExceeded; writes that succeeded are not undone.
// A table appears once in the result; items are in no particular order. Consumed capacity is summed by table.
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
