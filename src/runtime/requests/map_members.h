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

// Whether the change would leave a map, or a set that is added to, with more members than its field may have.
bool overfills(const design::Piece& piece, size_t i, const WriteAction& action, const std::optional<ItemView>& old);
// Whether the form's condition on the number of members holds: of several that are added it asks for more room than is
// needed if some are there.
bool has_room(const design::Piece& piece, size_t i, const WriteAction& action, const std::optional<ItemView>& old);
// Sets how many members a set may have for those that are added, as if it had none of them.
void set_room(WriteAction& action, size_t piece);
// Sets what the conditions ask for to what is needed for the item as it is.
void fit_room(WriteAction& action, size_t piece, const std::optional<ItemView>& old);

// Two maps of numbers as one, summed by name.
std::optional<Value> sum_of_maps(ValueView a, ValueView b);

}  // namespace trestle::runtime
