// The steps from one version of a design to the next, with items already stored: new and removed tables, indexes to
// backfill, keys that cannot change, items to rewrite, fields to fill, settings to change.
//
// Pure. A change is safe if stored items and running callers do not notice it; it needs a backfill if items must be
// read and written again, or an index built; if DynamoDB does not support it, it needs a new table or index next to the
// old one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

enum class Effort {
  kSafe,      // nothing to do but deploy
  kBackfill,  // stored items or indexes must be brought up to it
  kReplace,   // cannot be changed in place
};
std::string_view effort_name(Effort effort);  // "safe", "needs backfill", "cannot be changed in place"

struct Change {
  Effort effort = Effort::kSafe;
  std::string subject;                  // "table authz", "index authz.GSI1", "User.email"
  std::string what;                     // one sentence
  std::string to_do;                    // one sentence; empty: nothing
  std::vector<std::string> operations;  // operations of the new design that give wrong answers until it is done
};

// Tables first, then entities, then operations; within each, as the new file orders them, removals last.
std::vector<Change> diff_designs(const Design& before, const Design& after);

std::string diff_text(const std::vector<Change>& changes);
// {"changes": [...], "safe": n, "backfill": n, "replace": n}.
std::string diff_json(const std::vector<Change>& changes);
// Whether any change is not safe.
bool needs_work(const std::vector<Change>& changes);

}  // namespace trestle::design
