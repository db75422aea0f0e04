// The tables of a design on a Database: made where they are missing, or compared with what is there. Nothing that
// exists is ever altered.
#pragma once

#include <string>
#include <vector>

#include "design/language/design.h"
#include "model/database.h"
#include "model/error.h"
#include "runtime/call/refusal.h"

namespace trestle::runtime {

// Makes every table of the design that is missing, with indexes, TTL, stream and billing, and the journal
// (design::kJournalTable); waits until all are active. Those made are named. A table that exists is left as it is.
Outcome<std::vector<std::string>> create_tables(const design::Design& design, Database& database);

// What differs, each in a sentence; empty: nothing. Not compared: billing, tags, protection, and what no design says.
// `has_ttl` is false for an endpoint that cannot set a TTL: then that is not compared either.
Outcome<std::vector<std::string>> verify_tables(const design::Design& design, Database& database, bool has_ttl = true);

}  // namespace trestle::runtime
