// Changes of members of maps in a write: set, removed, added to.
//
// A map is changed by one piece of a request, and what else changes members of it joins that piece: DynamoDB refuses an
// update in which two paths overlap, which they do while the item lacks the map and the whole of it is written.
#pragma once

#include <optional>

#include "runtime/requests/write_action.h"

namespace trestle::runtime {

bool changes_member(const design::Piece& piece);

// The member changes of the second action's piece take part in the first's piece for the same map: amounts of one
// member are added. False, with `into` unchanged: one member would be changed in two ways.
bool join_members(WriteAction& into, size_t piece, const WriteAction& more, size_t its_piece);

// Joins the pieces of one action that are about the same map. False: one member would be changed in two ways.
bool join_own_members(WriteAction& action);

// The form of such a piece for an item that has the map, or lacks it.
int8_t member_form(const design::Piece& piece, const WriteAction& action, bool has_map);

// Two maps of numbers as one, summed by name.
std::optional<Value> sum_of_maps(ValueView a, ValueView b);

}  // namespace trestle::runtime
