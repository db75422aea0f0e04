// RequestItems of the batch operations: a map keyed by table name. DynamoDB checks the keys as a constraint of the map,
// and shows the whole map if one is invalid.
#pragma once

#include <string>
#include <string_view>

#include "model/limits.h"
#include "model/table.h"
#include "protocol/validation/constraints.h"

namespace trestle {

// As keys of this map, table names must have at least three characters.
inline bool is_request_items_key(std::string_view table_name) {
  return table_name.size() >= kNameLengthMin && table_name_of(table_name).has_value();
}

template <class Shown>
void constrain_request_items_key(std::string_view table_name, Constraints& constraints, Shown shown) {
  if (is_request_items_key(table_name)) return;
  constraints.violated("requestItems", shown(),
                       "Map keys must satisfy constraint: [" + member_at_most(kNameLengthMax, "length") + ", " +
                           member_at_least(kNameLengthMin, "length") +
                           ", Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]");
}

}  // namespace trestle
