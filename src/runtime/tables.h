// Creates the missing tables of a design in a Database, or compares the existing ones with it. Never alters an existing
// table.
#pragma once

#include <string>
#include <vector>

#include "design/language/design.h"
#include "model/database.h"
#include "model/error.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// The request that creates a table of a design. TTL and point-in-time recovery need separate requests.
CreateTableRequest create_request(const design::Table& table);

// Creates every missing table of the design, with indexes, TTL, stream and billing, and the journal
// (design::kJournalTable); waits until all are active. Returns the names of the new tables. An existing table is not
// changed.
Outcome<std::vector<std::string>> create_tables(const design::Design& design, Database& database);

// Returns the differences, each as a sentence. Does not compare billing, tags, protection, and settings that designs do
// not have. `has_ttl` is false for an endpoint that does not support TTL, which is then not compared either.
Outcome<std::vector<std::string>> verify_tables(const design::Design& design, Database& database, bool has_ttl = true);

}  // namespace trestle::runtime
