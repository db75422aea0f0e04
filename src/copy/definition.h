// Copies the definition of a table, without its items, to the target.
//
// A table that the target lacks is created like the source's: keys, indexes, billing, class, deletion protection, tags.
// Time to live, and the stream if requested, are enabled after the items have been copied, so that the target neither
// expires items during the copy nor streams the copy to its readers. Not copied: encryption keys, resource policies,
// backup settings, warm throughput; they belong to an account and a region.
//
// An existing table must have the same key and indexes; it is not altered.
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

  // Distinguishes this table from other tables of the same name. Not every endpoint has table ids.
  std::string id() const { return table.id.empty() ? std::to_string(table.created_ms) : table.id; }
};

// Nothing if the table does not exist.
Result<std::optional<Definition>> read_definition(Database& database, const std::string& table);

struct CreationOptions {
  std::string name;  // of the new table
  bool on_demand = false;
};
CreateTableRequest creation_of(const Definition& source, const CreationOptions& options);
// The differences, as text for people; empty if there are none.
std::vector<std::string> differences_of(const Definition& source, const Definition& target);

// Waits until the table and its indexes are ACTIVE.
Result<TableDescription> wait_active(Database& database, const std::string& table, const Stop& stop);
// Enables time to live and, if `with_stream`, the source's stream, where the target has none. Returns messages about
// what was done or failed.
Result<std::vector<std::string>> enable_settings(const Definition& source, Database& target, const std::string& table,
                                                 bool with_stream, const Stop& stop);

}  // namespace trestle::copy
