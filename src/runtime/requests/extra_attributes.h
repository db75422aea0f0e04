// Attributes that are no fields: copied with their item, sent by the caller, and compared when the item moves.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/requests/request_parts.h"
#include "runtime/requests/write_action.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Adds to an item that is put the unknown attributes of the item that it is a copy of, and the caller's additional
// ones; to `fields` too.
Outcome<void> put_extras(const RequestParts& parts, const design::Request& request, WriteAction& action, Plain& fields);

// The caller's additional attributes of an update; without a value: to be removed.
using AdditionalAttributes = std::vector<std::pair<std::string, std::optional<Value>>>;
Outcome<AdditionalAttributes> additional_attributes(const RequestParts& parts, const WriteAction& action);

// An item that is put elsewhere, as a copy, and deleted here must be deleted as it was copied: sets `unchanged`.
Outcome<void> delete_as_copied(const RequestParts& parts, std::vector<WriteAction>& actions);

}  // namespace trestle::runtime
