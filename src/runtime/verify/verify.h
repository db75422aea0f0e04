// Verifies and repairs a design's tables: compares every item with the rules of the design.
//
//   wrong key, type, index attribute or time to live; a guard that is missing, an orphan or another's; a child item
//   that is missing, differs from its owner or is an orphan; a tally that differs from a recount; an item of no entity,
//   or that cannot be read
//
// Reads the tables page by page. Memory holds one entry per tally target (a tenant's day), kTargetsInMemoryMax at most:
// if there are more, the tables are read again for every further share of the targets. Under live traffic an item may
// change between being read and being checked, so every fault is checked again before it is reported. A tally is
// reported only if figures and recount are the same twice; a figure that changes meanwhile is left for the next
// verification.
//
// Without blob storage (a codec without it) spilled values are counted as unchecked, and what follows from them is not
// judged; of such an item nothing is repaired.
//
// Repair writes under the condition that the fault still exists, and never deletes an item that it cannot read. Before
// verifying, the caller must finish what a crash left behind (DesignRuntime::resume, StreamTallies::drain).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/backoff.h"
#include "base/clock.h"
#include "runtime/items/item_form.h"

namespace trestle::runtime {

inline constexpr size_t kTargetsInMemoryMax = 1'000'000;

struct Fault {
  std::string kind;  // key, type, index, ttl, guard, orphan-guard, child, orphan-child, tally, unknown, unreadable
  std::string table;
  std::string item;         // for people: its key
  std::string words;        // description of the fault
  std::string entity = {};  // of a tally: whose figures they are
  bool repaired = false;
  std::string repair;  // what was repaired, or why nothing was
};

struct VerifyOptions {
  bool repair = false;
  size_t targets_max = kTargetsInMemoryMax;
  int64_t recheck_delay_ms = 2'500;  // between the two counts of a tally that differs
  Sleeper sleeper = {};
};

struct VerifyCounts {
  int64_t items = 0;
  int64_t faults = 0;
  int64_t repaired = 0;
  int64_t unchecked = 0;  // spilled values, for lack of blob storage
};

// Calls `tell` for each fault, in the order of detection.
Outcome<VerifyCounts> verify_design(const design::Design& design, Database& database, const ItemCodec& codec,
                                    const Clock& clock, const VerifyOptions& options,
                                    const std::function<void(const Fault&)>& tell);

}  // namespace trestle::runtime
