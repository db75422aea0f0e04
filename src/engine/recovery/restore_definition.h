// A table as a restore defines it: its source's description with the request's overrides, checked in DynamoDB's words.
// Pure: whether the name is taken, and which keyspaces hold the items, is the caller's business.
#pragma once

#include "engine/tables/table_definition.h"
#include "model/backup_requests.h"
#include "model/error.h"

namespace trestle {

// What of a restore is not an override.
struct RestoreTarget {
  std::string table_name;
  RestoreSummary from;
};

// The new table: CREATING, keyspaces zero. It has its source's keys, indexes, billing mode, throughput and encryption;
// as with DynamoDB it has none of its stream, time to live, tags, policy, table class, point in time recovery and
// protection against deletion. An index that is overridden has the key and projection of one of the source's.
Result<TableDescription> define_restored_table(const TableDescription& source, const RestoreOverrides& overrides,
                                               const RestoreTarget& target, const TableContext& context);

}  // namespace trestle
