// Converts DynamoDB's typed JSON ({"S": "x"}, {"L": [{"N": "1"}]}) to and from the plain text of values in designs and
// samples: scalars as they are; sets, lists and maps as JSON. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/json/json_writer.h"
#include "design/language/source.h"
#include "model/value.h"

namespace trestle::design {

// (kNumber, "12") becomes {"N": "12"}, and (kStringSet, "[...]") becomes {"SS": [...]}. For the other types, text that
// is not JSON becomes a string.
Json typed_json(ValueType type, std::string_view text);

// The inverse: sets `text` to "12" and `type` to kNumber for the node {"N": "12"}. Returns false if the node is not a
// typed value.
bool plain_text(const Node& node, ValueType& type, std::string& text);

// Parses a type name such as "S", "SS" or "BOOL". Returns false if it is unknown.
bool type_from_name(std::string_view name, ValueType& type);

}  // namespace trestle::design
