// Dead letters of tallies: targets whose figures cannot be written, because a sum is out of the range of numbers or the
// item would be too large. The changes of such a target are not counted; the stream is still read for all others.
//   PK "DEAD#<design>", SK "tally#<hash of the target's table and key>"; reaction (the tallies), event "count", error,
//   body (the amounts of the last change that was not counted), failures (how often), at (Unix ms)
// There is one letter per target, written in the transaction of the checkpoint. The figures of the target differ from a
// recount until `verify --repair` sets them, which deletes the letter; letters of tallies are not retried.
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

// The write that records that the target was not counted.
TransactWrite tally_letter(const design::Design& design, const std::string& name, const TallyTarget& target,
                           const std::string& error, int64_t now_ms);

// The `failures` attribute of each letter, by id.
Outcome<std::map<std::string, Value>> tally_letters(Database& database, const std::string& design);
// Deletes the letter unless its target has failed again since it was read.
Outcome<void> delete_tally_letter(Database& database, const std::string& design, const std::string& id,
                                  const Value& failures);

}  // namespace trestle::runtime
