// Infers parts of a design from sample values: the type of a field, the template of a key. For imports: the guesses
// agree with every value, and a person reviews them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/value.h"

namespace trestle::design {

// The narrowest type that all values have: "ulid", "time", "int", "set<string>". `in_key` requires a type whose values
// cannot contain the delimiter.
std::string guess_type(ValueType stored, const std::vector<std::string>& values, bool in_key);

// One row: attribute to text.
using SampleRow = std::map<std::string, std::string>;

// The template, of literals and the attributes named, that makes `attribute` of every row which has it; nothing if
// there is none or no row has it.
std::optional<std::string> guess_template(const std::vector<SampleRow>& rows, const std::string& attribute,
                                          const std::vector<std::string>& fields);

}  // namespace trestle::design
