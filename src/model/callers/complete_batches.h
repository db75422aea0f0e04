// BatchGetItem and BatchWriteItem for any number of keys or writes, repeated until everything is processed.
//
//   TRY_INTO(const auto found, batch_get_all(database, {.tables = {{.table_name = "music", .keys = keys}}}));
//
// Requests are sent in batches of the size that DynamoDB allows; unprocessed keys or writes are sent again with the
// next batch. A response that processed nothing is followed by a backoff (base/backoff.h). If `stalls_max` responses in
// a row process nothing, the call fails with kProvisionedThroughputExceeded; writes that succeeded are not undone. Each
// table appears once in the result; items are in no particular order. Consumed capacity is summed by table.
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
