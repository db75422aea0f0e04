// Checks a design before it is deployed. Pure: no I/O, no clock.
//
//   T1.. keys   T2.. reads and indexes   T3.. writes   T4.. capacity   T5.. lifecycle   T6.. claims
//
// Severities: an error cannot work or loses data; a warning will cause trouble; a note is worth knowing.
// Every code is described in docs/checks.md.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "design/check/report.h"
#include "design/language/design.h"
#include "design/language/reader.h"

namespace trestle::design {

// Runs every pass once. Returns the mistakes found while reading and the faults of the design, as far as it could be
// read: neither sorted nor suppressed.
std::vector<Finding> run_passes(const Reading& reading);

// The report of the passes alone.
Report check_design(const Reading& reading);
Report check_text(std::string_view text);

// Returns the entities whose tally figures can differ from a recount: those that T338 or T339 reports, or would
// report if a reaction did not correct the figure later.
std::set<std::string> entities_with_stale_counts(const Design& design);

}  // namespace trestle::design
