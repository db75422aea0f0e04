// Attributes that are not fields of the entity: copied with their item, sent by the caller, and compared when the item
// is moved.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/requests/request_parts.h"
#include "runtime/requests/write_action.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Adds to the item of a put the unknown attributes of the item that it copies, and the additional attributes that the
// caller sent. Adds them to `fields` too.
Outcome<void> put_extras(const RequestParts& parts, const design::Request& request, WriteAction& action, Plain& fields);

// The caller's additional attributes in an update. One without a value is to be removed.
using AdditionalAttributes = std::vector<std::pair<std::string, std::optional<Value>>>;
Outcome<AdditionalAttributes> additional_attributes(const RequestParts& parts, const WriteAction& action);

// For an item that is moved (put as a copy under another key, and deleted): sets `unchanged` of the deletion, so that
// it fails if the item has changed since it was copied.
Outcome<void> delete_as_copied(std::vector<WriteAction>& actions);

}  // namespace trestle::runtime
