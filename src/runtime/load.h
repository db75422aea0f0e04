// Seed data: records from a file, each given to an operation of a design.
//
// A file holds a JSON array, JSON objects one per line, or a YAML list of maps (or one map whose only member is such a
// list). In YAML a plain scalar that reads as a number, true, false or null is that; quoted it is text.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/plain.h"
#include "runtime/refusal.h"

namespace trestle::runtime {

// Each record is a map. The failure is a sentence with the line it is about.
BasicResult<std::vector<Plain>, std::string> read_records(std::string_view text);

}  // namespace trestle::runtime
