// Changes of map members in a write: setting, removing and adding to them.
//
// One piece of a request makes all changes of a map; other pieces that change its members are joined to it. DynamoDB
// rejects an update with overlapping paths, and they overlap when the item lacks the map and it is written as a whole.
#pragma once

#include <optional>

#include "runtime/requests/write_action.h"

namespace trestle::runtime {

bool changes_member(const design::Piece& piece);

// Joins the member changes of the second action's piece to the first action's piece for the same map. Amounts for the
// same member are summed. False, with `into` unchanged: a member would be changed in two ways.
bool join_members(WriteAction& into, size_t piece, const WriteAction& more, size_t more_piece);

// Joins the pieces of one action that change the same map. False: a member would be changed in two ways.
bool join_own_members(WriteAction& action);

// The form of such a piece for an item that has the map or lacks it.
int8_t member_form(const design::Piece& piece, const WriteAction& action, bool has_map);

// Whether the change would add members to a map or set so that it has more than its field allows, or remove members so
// that it has fewer.
bool leaves_limits(const design::Piece& piece, size_t i, const WriteAction& action, const std::optional<ItemView>& old);
// Whether an addition would take a member of a map out of the range of its type.
bool leaves_member_range(const design::Piece& piece, size_t i, const WriteAction& action,
                         const std::optional<ItemView>& old);
// Whether the form's condition on the number of members holds. The condition of a change that adds several members may
// be stricter than necessary, because some of them may exist already.
bool has_room(const design::Piece& piece, size_t i, const WriteAction& action, const std::optional<ItemView>& old);
// Sets the limit in a set's condition as if all added members were new, and all removed ones existed.
void set_room(WriteAction& action, size_t piece);
// Joins the members that the second action's piece adds to a set, or removes from it, to those of the first action's
// piece. False, with `into` unchanged: one adds and the other removes.
bool join_sets(WriteAction& into, size_t piece, const WriteAction& more, size_t more_piece);
// Sets the limits in a map's conditions to what the current item needs.
void fit_room(WriteAction& action, size_t piece, const std::optional<ItemView>& old);

// Adds two maps of numbers member by member. Nothing: a sum is not a valid number.
std::optional<Value> sum_of_maps(ValueView a, ValueView b);

}  // namespace trestle::runtime
