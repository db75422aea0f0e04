// Seed data: records from a file, each passed to an operation of a design, or loaded as an item of one of its entities.
//
// A file holds a JSON array, JSON objects one per line, or a YAML list of maps (or one map whose only member is such a
// list). In YAML, an unquoted number, true, false or null has that type; a quoted scalar is text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/call/refusal.h"
#include "runtime/values/plain.h"

namespace trestle::runtime {

// Each record is a map. The failure is a sentence with the line it is about.
BasicResult<std::vector<Plain>, std::string> read_records(std::string_view text);

// Records by entity, in the file's order: all of `entity`, or if that is empty the file is a map of such lists.
using EntityRecords = std::vector<std::pair<std::string, std::vector<Plain>>>;
BasicResult<EntityRecords, std::string> read_entities(std::string_view text, const std::string& entity);

}  // namespace trestle::runtime
