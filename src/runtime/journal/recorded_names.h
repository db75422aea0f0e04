// The names of a call, encoded as an item, for the record from which a call is resumed:
//   names     every name and its value. Types that DynamoDB lacks are maps with one member whose name begins with byte
//   1 entities  the entities of the items among them now       when the call began
// If the encoding would exceed 200 KB, the largest names are omitted; a resumed call computes them again.
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

// The steps with an undo whose writes are done, as indexes into the `steps` of the plan. They are stored as a name of
// the call.
std::vector<size_t> steps_to_undo(const Names& names, size_t steps);
void set_steps_to_undo(Names& names, const std::vector<size_t>& undone);

}  // namespace trestle::runtime
