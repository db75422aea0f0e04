// Selects among the items that a request found, and decodes their fields. Pure.
#pragma once

#include <string_view>

#include "runtime/requests/prepared_plan.h"
#include "runtime/requests/request_parts.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Whether to skip the item: it has expired but is not deleted yet, or it belongs to none of the wanted entities.
bool is_hidden(const RequestParts& parts, const PreparedRequest& prepared, ItemView item);

// Whether the item belongs to the request's entity. A condition on the prefix of a sort key may also find items of
// other entities, such as SITE#42#COMMENT#7 for SITE#42. An item that a Query finds and that fits no entity is
// accepted.
bool is_of_entity(const RequestParts& parts, const PreparedRequest& prepared, ItemView item);

// The fields of an item that the step found. Packed, spilled and sealed values are opened if the plan uses them.
Outcome<Plain> item_fields(const RequestParts& parts, const PreparedPlan& plan, std::string_view step,
                           const PreparedRequest& prepared, ItemView item);

}  // namespace trestle::runtime
