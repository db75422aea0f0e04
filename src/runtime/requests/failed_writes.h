// Finds out why a write failed: which actions had conditions that were not met, and what to do about each. Pure.
#pragma once

#include <optional>
#include <vector>

#include "model/error.h"
#include "runtime/requests/write_action.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

struct FailedAction {
  WriteAction* action;
  std::optional<ItemView> old;  // the item when the condition was evaluated; nothing: it did not exist
  design::Cause cause;
};

// The actions, or parts of them, whose conditions failed. Empty: the error has another cause. An item that has expired
// at `now_s` counts as absent. The result borrows from `actions` and `error`.
std::vector<FailedAction> failed_actions(std::vector<WriteAction>& actions, const Error& error, int64_t now_s);

// The plan's refusal for the cause; null: there is none.
const design::Refusal* refusal_for(const WriteAction& action, design::Cause cause,
                                   const std::optional<ItemView>& old = {});

// Whether the failed action no longer applies and can be dropped: it removes a guard that now belongs to another item,
// or updates a child or subtracts from a figure whose item no longer exists.
bool is_obsolete(const WriteAction& action, design::Cause cause);
// Drops the failed actions that are obsolete.
void remove_obsolete(std::vector<WriteAction>& actions, const std::vector<FailedAction>& failed);

// The refusal for an error of a write. For an item that is too large, names the largest field.
Refused refused_write(const std::vector<WriteAction>& actions, const Error& error);

}  // namespace trestle::runtime
