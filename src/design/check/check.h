// Checks a design before it is deployed. Pure: no I/O, no clock.
//
//   T1.. keys   T2.. reads and indexes   T3.. writes   T4.. capacity   T5.. lifecycle   T6.. claims
//
// Severities: an error cannot work or loses data; a warning will cause trouble; a note is worth knowing. A comment on
// the finding's line can excuse it with a reason (design/language/source.h): the finding then moves to `excused`. Every
// code is described in docs/checks.md.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"
#include "design/language/reader.h"

namespace trestle::design {

struct Excused {
  Finding finding;
  std::string reason;
};

struct Report {
  std::vector<Finding> findings;  // sorted by place
  std::vector<Excused> excused;
  size_t count(Severity severity) const;
};

// Returns the mistakes found while reading and the faults of the design, as far as it could be read. `more` holds
// findings from other sources; they are merged, sorted and excused like the rest.
Report check_design(const Reading& reading, std::vector<Finding> more = {});
Report check_text(std::string_view text);

// Returns the entities whose tally aggregates can differ from a recount: those that T338 or T339 reports, or would
// report if a reaction did not correct the aggregate later.
std::set<std::string> entities_with_stale_counts(const Design& design);

}  // namespace trestle::design
