// Defines the table that a restore creates: its source's description with the request's overrides, checked with
// DynamoDB's messages. Pure: the caller checks whether the name is taken, and assigns keyspaces.
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

// The new table: CREATING, with zero keyspaces. It has its source's keys, indexes, billing mode, throughput and
// encryption. As in DynamoDB, its stream, time to live, tags, policy, table class, point in time recovery and deletion
// protection are not restored. An index override must have the key and projection of one of the source's indexes.
Result<TableDescription> define_restored_table(const TableDescription& source, const RestoreOverrides& overrides,
                                               const RestoreTarget& target, const TableContext& context);

}  // namespace trestle
