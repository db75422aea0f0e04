// Computes what it takes to migrate stored data from one version of a design to the next: new and removed tables,
// indexes to backfill, keys that cannot change, items to rewrite, fields to fill, settings to change.
//
// Pure. A change is safe if neither stored items nor running callers are affected. It needs a backfill if items must be
// rewritten or an index built. If DynamoDB does not support it in place, it needs a new table or index next to the old
// one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

enum class Effort {
  kSafe,      // only needs to be deployed
  kBackfill,  // stored items or indexes must be updated
  kReplace,   // cannot be changed in place; needs a new table or index
};
std::string_view effort_name(Effort effort);  // "safe", "needs backfill", "cannot be changed in place"

struct Change {
  Effort effort = Effort::kSafe;
  std::string subject;                  // "table authz", "index authz.GSI1", "User.email"
  std::string what;                     // one sentence, without the subject
  std::string to_do;                    // one sentence; empty: nothing
  std::vector<std::string> operations;  // operations of the new design that return wrong results until it is done
};

// Tables first, then entities, then operations, each in the order of the new file, with removals last.
std::vector<Change> diff_designs(const Design& before, const Design& after);

std::string diff_text(const std::vector<Change>& changes);
// {"changes": [...], "safe": n, "backfill": n, "replace": n}.
std::string diff_json(const std::vector<Change>& changes);
// Whether any change is not safe.
bool needs_work(const std::vector<Change>& changes);

}  // namespace trestle::design
