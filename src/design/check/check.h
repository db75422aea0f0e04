// Checks a design before it is deployed. Pure: no I/O, no clock.
//
//   T1.. keys   T2.. reads and indexes   T3.. writes   T4.. capacity   T5.. lifecycle   T6.. claims
//
// Severities: an error cannot work or loses data; a warning will cause trouble; a note is worth knowing. A comment on
// the finding's line can suppress it with a reason (design/language/source.h): the finding then moves to `suppressed`.
// Every code is described in docs/checks.md.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"
#include "design/language/reader.h"

namespace trestle::design {

// Runs every pass once. Returns the mistakes found while reading and the faults of the design, as far as it could be
// read: neither sorted nor suppressed.
std::vector<Finding> run_passes(const Reading& reading);

// Whether one of the findings is an error that no remark of the design suppresses. Such a design cannot run.
bool has_errors(const Design& design, const std::vector<Finding>& findings);

struct SuppressedFinding {
  Finding finding;
  std::string reason;
};

struct Report {
  std::vector<Finding> findings;  // sorted by place
  std::vector<SuppressedFinding> suppressed;
  size_t count(Severity severity) const;
};

// Sorts the findings of the passes, and of other sources such as the rehearsal, removes duplicates, and moves those
// that a remark of the design suppresses. A remark that suppresses nothing is reported too.
Report compose_report(const Design& design, std::vector<Finding> findings);

// The report of the passes alone.
Report check_design(const Reading& reading);
Report check_text(std::string_view text);

// Returns the entities whose tally figures can differ from a recount: those that T338 or T339 reports, or would
// report if a reaction did not correct the figure later.
std::set<std::string> entities_with_stale_counts(const Design& design);

}  // namespace trestle::design
