// Merges the actions of a transaction on the same item: DynamoDB accepts an item only once per transaction.
//
//   check, update, tally   one update: sections and conditions joined; amounts added to one figure are summed, and
//                          its range holds for the sum
//   two checks             one check, under both conditions
//   two updates            one update, if neither has a condition of the design's, neither computes from what the other
//                          writes, they set nothing differently, and what follows from both (tallies, guards, children)
//                          can be summed
//   put, tally             the amounts are added to what is put; a least or greatest value that goes is left to
//                          complete_figures() (write_actions.h)
//   delete, tally          the item is deleted, including its figures
//   delete, check          the deletion, under both conditions
//   put, delete of a guard the guard is put while it names the item that gives it up
//
// The part that the design writes itself is the base; others become its `parts`, each with its own pieces, so that a
// failed condition can still be traced to the part that caused it. Pure.
#pragma once

#include <vector>

#include "runtime/requests/write_action.h"

namespace trestle::runtime {

// How the tally follows what the update changes.
WriteAction::Followers followers_by(const design::Tally& tally, const WriteAction& update);

// Leaves one action per item. False, with some merged, if two cannot be one.
bool merge_actions(std::vector<WriteAction>& actions);

}  // namespace trestle::runtime
