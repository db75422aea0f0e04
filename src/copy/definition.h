// What a table is, apart from its items, carried from one side to the other.
//
// A table that the target lacks is made as the source has it: keys, indexes, billing, class, protection from deletion,
// tags. Time to live, and the stream if that is wanted, are set once the items are there, so that the target neither
// expires what is still on its way nor tells its readers of the copy. Not carried: encryption keys, resource policies,
// backup settings, warm throughput; they belong to an account and a region.
//
// A table that is there must have the same key and indexes; nothing that exists is altered.
#pragma once

#include <string>
#include <vector>

#include "copy/stop.h"
#include "model/database.h"

namespace trestle::copy {

struct Definition {
  TableDescription table;
  std::optional<std::string> ttl_attribute = {};
  std::vector<Tag> tags = {};

  // Tells this table from another of its name. Not every endpoint gives tables an id.
  std::string id() const { return table.id.empty() ? std::to_string(table.created_ms) : table.id; }
};

// Nothing if there is no such table.
Result<std::optional<Definition>> read_definition(Database& database, const std::string& table);

struct CreationOptions {
  std::string name;  // of the new table
  bool on_demand = false;
};
CreateTableRequest creation_of(const Definition& source, const CreationOptions& options);
// In words; empty: the same.
std::vector<std::string> differences_of(const Definition& source, const Definition& target);

// Waits until the table and its indexes are ACTIVE.
Result<TableDescription> wait_active(Database& database, const std::string& table, const Stop& stop);
// Time to live and, if `with_stream`, the stream of the source, where the target has none. What was done or could not
// be, in words.
Result<std::vector<std::string>> settle_definition(const Definition& source, Database& target, const std::string& table,
                                                   bool with_stream, const Stop& stop);

}  // namespace trestle::copy
