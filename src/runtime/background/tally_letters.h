// Dead letters of tallies: targets whose figures cannot be written, because a sum has left the range of numbers or the
// item would be too large. The changes of such a target are not counted; the stream is read on for all others.
//   PK "DEAD#<design>", SK "tally#<hash of the target's table and key>"; reaction (the tallies), event "count", error,
//   body (the amounts that were not counted last), failures (how often), at (Unix ms)
// A letter is written in the transaction of the checkpoint, one per target. The figures of its target differ from a
// recount until `verify --repair` sets them, which deletes the letter; it is not tried again by itself.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "model/database.h"
#include "runtime/requests/tally_change.h"

namespace trestle::runtime {

// `name`: the target's key in TallyTargets.
std::string tally_letter_id(const std::string& name);
bool is_tally_letter(std::string_view id);

// The write that notes that the target was not counted.
TransactWrite tally_letter(const design::Design& design, const std::string& name, const TallyTarget& target,
                           const std::string& error, int64_t now_ms);

// The number of failures of each letter there is, by id.
Outcome<std::map<std::string, Value>> tally_letters(Database& database, const std::string& design);
// Deletes the letter unless its target failed again since it was read.
Outcome<void> delete_tally_letter(Database& database, const std::string& design, const std::string& id,
                                  const Value& failures);

}  // namespace trestle::runtime
