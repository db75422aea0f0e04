// Why a write failed: the actions whose conditions were not met, and what follows for each. Pure.
#pragma once

#include <optional>
#include <vector>

#include "model/error.h"
#include "runtime/requests/write_action.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

struct FailedAction {
  WriteAction* action;
  std::optional<ItemView> old;  // the item as the condition found it; nothing: there is none
  design::Cause cause;
};

// The actions, or parts of them, whose conditions failed. Empty: the error is about something else. `now_s` decides
// what has expired. Borrows from `actions` and `error`.
std::vector<FailedAction> failed_actions(std::vector<WriteAction>& actions, const Error& error, int64_t now_s);

// The plan's refusal for the cause; null: there is none.
const design::Refusal* refusal_for(const WriteAction& action, design::Cause cause,
                                   const std::optional<ItemView>& old = {});

// Whether the failed action no longer applies and can be left out: it removes a guard that meanwhile belongs to another
// item, or changes a figure whose item is gone.
bool is_obsolete(const WriteAction& action, design::Cause cause);
// Leaves out those of the failed actions that are obsolete.
void remove_obsolete(std::vector<WriteAction>& actions, const std::vector<FailedAction>& failed);

// The refusal for an error of a write. For an item that is too large, names the largest field.
Refused refused_write(const std::vector<WriteAction>& actions, const Error& error);

}  // namespace trestle::runtime
