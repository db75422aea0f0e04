// The items that a request found: which of them are meant, and their fields. Pure.
#pragma once

#include <string_view>

#include "runtime/requests/prepared_plan.h"
#include "runtime/requests/request_parts.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Whether the item is to be left out: it has expired but is not deleted yet, or is of no entity that is wanted.
bool is_hidden(const RequestParts& parts, const PreparedRequest& prepared, ItemView item);

// Whether the item is of the request's entity. A condition on the start of a sort key may also find items of another:
// SITE#42#COMMENT#7 where SITE#42 is wanted. An item that fits no entity is taken for what the condition says.
bool is_of_entity(const RequestParts& parts, const PreparedRequest& prepared, ItemView item);

// The fields of an item that the step found, with what is packed, spilled or sealed opened if the plan uses it.
Outcome<Plain> item_fields(const RequestParts& parts, const PreparedPlan& plan, std::string_view step,
                           const PreparedRequest& prepared, ItemView item);

}  // namespace trestle::runtime
