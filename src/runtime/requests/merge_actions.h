// Merges the actions of a transaction on the same item: DynamoDB accepts an item only once per transaction.
//
//   check, update, tally   one update with the sections and conditions of all; amounts for the same figure are summed,
//                          and its range is checked for the sum
//   two checks             one check with both conditions
//   two updates            one update, if neither has a condition from the design, neither computes from an attribute
//                          that the other writes, both set the same value where they set the same attribute, and the
//                          tallies, guards and children that follow from them can be summed
//   put, tally             the amounts are added to the item of the put; if a least or greatest value must be read
//                          again, complete_figures() does it (write_actions.h)
//   delete, tally          the deletion, which also deletes the figures
//   delete, check          the deletion with both conditions
//   put, delete of a guard the put, on condition that the guard still names the item that gives it up
//
// The action that the design itself writes is the base; the others become its `parts`, each with its own pieces, so
// that a failed condition can still be traced to the part that it came from. Pure.
#pragma once

#include <vector>

#include "runtime/requests/write_action.h"

namespace trestle::runtime {

// How the tally depends on the attributes that the update changes.
WriteAction::Followers followers_by(const design::Tally& tally, const WriteAction& update);

// Merges all actions on the same item. False, with some already merged, if two cannot be merged.
bool merge_actions(std::vector<WriteAction>& actions);

}  // namespace trestle::runtime
