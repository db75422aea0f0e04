// A table as a restore defines it: its source's description with the request's overrides, checked in DynamoDB's words.
// Pure: whether the name is taken, and which keyspaces hold the items, is the caller's business.
#pragma once

#include "engine/tables/table_definition.h"
#include "model/backup_requests.h"
#include "model/error.h"

namespace trestle {

// The parts of a restore that are not overrides.
struct RestoreTarget {
  std::string table_name;
  RestoreSummary from;
};

// The new table: CREATING, keyspaces zero. It has its source's keys, indexes, billing mode, throughput and encryption;
// as in DynamoDB, its stream, time to live, tags, policy, table class, point in time recovery and deletion protection
// are not restored. An overriding index must have the key and projection of one of the source's.
Result<TableDescription> define_restored_table(const TableDescription& source, const RestoreOverrides& overrides,
                                               const RestoreTarget& target, const TableContext& context);

}  // namespace trestle
