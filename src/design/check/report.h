// Formats a report as text or JSON.
#pragma once

#include <string>
#include <string_view>

#include "design/check/check.h"

namespace trestle::design {

// One line per finding, "designs/a.yaml:12:5: error T203: ...", followed by its repair, and a summary line.
std::string report_text(std::string_view file, const Report& report);
// One object: {"file": ..., "errors": n, "warnings": n, "notes": n, "findings": [...], "excused": [...]}.
std::string report_json(std::string_view file, const Report& report);

}  // namespace trestle::design
