// Decides which requests of a write take part, with which values and forms.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/requests/request_parts.h"
#include "runtime/requests/write_action.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Adds the actions of a step's requests. One of the journal has neither key nor item yet: those are the record's
// (runtime/journal/call_record.h).
Outcome<void> add_actions(const RequestParts& parts, const PreparedPlan& plan,
                          std::span<const design::Request> requests, std::vector<WriteAction>& actions);

// The action with its values and the forms that a first attempt takes; nothing if its key lacks a value.
Outcome<std::optional<WriteAction>> action_of(const RequestParts& parts, const PreparedRequest& prepared, Plain fields);

// Reads the most extreme value of the items that a tally counts after the change.
using ReadExtreme = std::function<Outcome<std::optional<Value>>(const WriteAction::ExtremeLeft&)>;

// After a failed condition the item is known, and each piece takes the form that fits it.
Outcome<void> choose_forms(WriteAction& action, const std::optional<ItemView>& old, const ReadExtreme& read);

// Completes a merged put of a tally's target: the figures are part of the item and of its fields. The target was read
// before, and the put is conditional on its revision, so the items that are left are those that count.
Outcome<void> complete_figures(const design::Design& design, WriteAction& put, const ReadExtreme& read);

}  // namespace trestle::runtime
