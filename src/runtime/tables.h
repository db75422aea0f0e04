// The tables of a design in a Database: creates missing ones, or compares existing ones. Never alters a table that
// exists.
#pragma once

#include <string>
#include <vector>

#include "design/language/design.h"
#include "model/database.h"
#include "model/error.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// The request that creates a table of a design. TTL and point in time recovery are set by requests of their own.
CreateTableRequest create_request(const design::Table& table);

// Creates every missing table of the design, with indexes, TTL, stream and billing, and the journal
// (design::kJournalTable); waits until all are active. Returns the names of the new tables. An existing table is not
// changed.
Outcome<std::vector<std::string>> create_tables(const design::Design& design, Database& database);

// The differences, each as a sentence. Not compared: billing, tags, protection, and settings that designs do not have.
// `has_ttl` is false for an endpoint that does not support TTL, which is then not compared either.
Outcome<std::vector<std::string>> verify_tables(const design::Design& design, Database& database, bool has_ttl = true);

}  // namespace trestle::runtime
