// The order in which the values of an item's fields are computed. In a new item a bare name is the value that the item
// gets, so a value follows those that it names, whatever the order in which the fields are declared. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "design/plan/plan.h"

namespace trestle::design {

// Moves each field behind the fields that its value names. Otherwise the order is unchanged, in particular that of
// fields whose values depend on each other.
void order_by_operands(std::vector<FieldValue>& fields);

// Fields whose values depend on each other: each value names the next field, and the last one names the first. Empty:
// there are none.
std::vector<std::string> cycle_of(const std::map<std::string, Expression>& values);

}  // namespace trestle::design
