// The report of a check: the findings of the passes, and of other sources such as the rehearsal, in order, without
// those that a remark suppresses; as text or as JSON.
//
// A remark is a comment on the finding's line that suppresses findings with given codes, and says why
// (design/language/source.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"
#include "design/language/finding.h"

namespace trestle::design {

struct SuppressedFinding {
  Finding finding;
  std::string reason;
};

struct Report {
  std::vector<Finding> findings;  // sorted by place
  std::vector<SuppressedFinding> suppressed;
  size_t count(Severity severity) const;
};

// Whether one of the findings is an error that no remark of the design suppresses. Such a design cannot run.
bool has_errors(const Design& design, const std::vector<Finding>& findings);

// Sorts the findings, removes duplicates, and moves those that a remark of the design suppresses to `suppressed`. A
// remark that suppresses nothing is reported too.
Report compose_report(const Design& design, std::vector<Finding> findings);

// One line per finding, "designs/a.yaml:12:5: error T203: ...", followed by its repair, and a summary line.
std::string report_text(std::string_view file, const Report& report);
// One object: {"file": ..., "errors": n, "warnings": n, "notes": n, "findings": [...], "excused": [...]}.
std::string report_json(std::string_view file, const Report& report);

}  // namespace trestle::design
