// DynamoDB's typed JSON ({"S": "x"}, {"L": [{"N": "1"}]}) to and from the plain text in which designs and samples write
// values: scalars as they are, sets, lists and maps as JSON. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "design/language/source.h"
#include "model/value.h"

namespace trestle::design {

// {"N": "12"} from (kNumber, "12"); {"SS": [...]} from (kStringSet, "[...]"). Text that is no JSON of that type becomes
// a string.
Json typed_json(ValueType type, std::string_view text);

// The other way: "12" from the node {"N": "12"}; `type` gets the type. False if the node is no typed value.
bool plain_text(const Node& node, ValueType& type, std::string& text);

// Reads "S", "SS", "BOOL"; false if it is none.
bool type_from_name(std::string_view name, ValueType& type);

}  // namespace trestle::design
