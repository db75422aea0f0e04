// The names of a call in the bytes of an item, for the record that a call is resumed from:
//   names     every name and its value. Types that DynamoDB lacks are maps of one member whose name begins with byte 1
//   entities  the entities of the items among them
//   now       when the call began
// Names that would make it larger than 200 KB are left out, the largest first: a resumed call computes them again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/requests/call_state.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

struct RecordedNames {
  Names names;
  EntityByName entity_of;
  int64_t now_ms = 0;
};
std::string encode_names(const CallState& state);
Outcome<RecordedNames> decode_names(const design::Design& design, std::string bytes);

// The steps whose writes are done and have an undo: their places among the `steps` of the plan. They are a name of the
// call.
std::vector<size_t> steps_to_undo(const Names& names, size_t steps);
void set_steps_to_undo(Names& names, const std::vector<size_t>& undone);

}  // namespace trestle::runtime
