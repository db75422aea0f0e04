// Finds the faults of a design before it is deployed. Pure: no I/O, no clock.
//
//   T1.. keys   T2.. reads and indexes   T3.. writes   T4.. capacity   T5.. lifecycle   T6.. claims
//
// An error cannot work or loses data; a warning will hurt; a note is worth knowing. A finding is suppressed if a
// comment on its line excuses it with a reason (design/language/source.h). Every code is described in docs/checks.md.
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
  std::vector<Finding> findings;  // by place
  std::vector<Excused> excused;
  size_t count(Severity severity) const;
};

// The mistakes of a reading and, as far as it was understood, the faults of its design.
// `more` are findings from elsewhere, sorted in and excused like its own.
Report check_design(const Reading& reading, std::vector<Finding> more = {});
Report check_text(std::string_view text);

// Entities whose figures differ from what is there after certain calls, as T338 and T339 warn, or as long as no
// reaction runs.
std::set<std::string> entities_with_left_counts(const Design& design);

}  // namespace trestle::design
