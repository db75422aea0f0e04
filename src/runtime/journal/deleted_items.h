// The items that the steps of a call deleted, as one of its names: `job.deleted`, a list of {table, key}.
//
// After a crash, a resumed cascade may find that such an item has been put again, with items of its own that the
// cascade must not delete.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/requests/call_state.h"
#include "runtime/requests/write_action.h"

namespace trestle::runtime {

inline constexpr std::string_view kDeletedItems = "job.deleted";  // no name of a design has a dot

struct DeletedItem {
  std::string table;
  Item key;
};

// Adds the items that the design itself deletes in this step (not guards and children).
void add_deleted_items(Names& names, const std::vector<WriteAction>& actions);
std::vector<DeletedItem> deleted_items(const Names& names);

}  // namespace trestle::runtime
