// Infers parts of a design from sample values, for imports: the type of a field, the template of a key. The results fit
// every value; a person should review them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/value.h"

namespace trestle::design {

// The narrowest type that fits all values: "ulid", "time", "int", "set<string>". With `in_key`, only types whose values
// cannot contain the delimiter.
std::string guess_type(ValueType stored, const std::vector<std::string>& values, bool in_key);

// One row: the text of each attribute.
using SampleRow = std::map<std::string, std::string>;

// The template of literals and the attributes in `fields` that produces `attribute` in every row that has it. Nothing
// if there is no such template or no row has the attribute.
std::optional<std::string> guess_template(const std::vector<SampleRow>& rows, const std::string& attribute,
                                          const std::vector<std::string>& fields);

}  // namespace trestle::design
