// Decides which requests of a write step are sent, with which values and forms.
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

// Adds the actions of a step's requests. An action on the journal does not have its key or item yet; CallRecord sets
// them (runtime/journal/call_record.h).
Outcome<void> add_actions(const RequestParts& parts, const PreparedPlan& plan,
                          std::span<const design::Request> requests, std::vector<WriteAction>& actions);

// The action with its values, and with the forms for the first attempt. Nothing if its key lacks a value.
Outcome<std::optional<WriteAction>> action_of(const RequestParts& parts, const PreparedRequest& prepared, Plain fields);

// Reads the most extreme value among the items that a tally counts after the change.
using ReadExtreme = std::function<Outcome<std::optional<Value>>(const WriteAction::ExtremeLeft&)>;

// Called after a failed condition, when the item is known: chooses for each piece the form that fits the item.
Outcome<void> choose_forms(WriteAction& action, const std::optional<ItemView>& old, const ReadExtreme& read);

// Completes a merged put of a tally's target: sets the figures in the item and its fields. The put is conditional on
// the revision that the target had when it was read, so values read from the remaining items are still right when it
// succeeds.
Outcome<void> complete_figures(const design::Design& design, WriteAction& put, const ReadExtreme& read);

}  // namespace trestle::runtime
