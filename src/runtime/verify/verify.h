// Verifies and repairs a design's tables: compares every item with the rules of the design.
//
//   a wrong key, type, index attribute or time to live; a field of the wrong type or out of range; a guard that is
//   missing, orphaned or belongs to another item; a child item that is missing, orphaned or differs from its owner; a
//   tally that differs from a recount; an item that belongs to no entity or cannot be read
//
// Reads the tables page by page. Keeps one entry per tally target (say, per tenant and day) in memory, at most
// kTargetsInMemoryMax: if there are more, it reads the tables again for each further share of the targets. Under live
// traffic an item may change between being read and being checked, so every fault is checked again before it is
// reported. A tally is reported only if the figures and the recount are the same in two checks; a figure that changes
// in between is left to the next verification.
//
// If the codec has no blob storage, spilled values are counted as unchecked, and what depends on them is not checked.
// Such an item is not repaired.
//
// Repairs are conditional on the fault still existing, and never delete an item that cannot be read. Before verifying,
// the caller must complete what a crash interrupted (DesignRuntime::resume, StreamTallies::drain).
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
  std::string
      kind;  // key, type, index, ttl, field, guard, orphan-guard, child, orphan-child, tally, unknown, unreadable
  std::string table;
  std::string item;         // its key, as text for people
  std::string words;        // description of the fault
  std::string entity = {};  // for a tally: the entity that has the figures
  bool repaired = false;
  std::string repair;  // what was repaired, or why nothing was
};

struct VerifyOptions {
  bool repair = false;
  size_t targets_max = kTargetsInMemoryMax;
  int64_t recheck_delay_ms = 2'500;  // between the two checks of a tally that differs
  Sleeper sleeper = {};
};

struct VerifyCounts {
  int64_t items = 0;
  int64_t faults = 0;
  int64_t repaired = 0;
  int64_t unchecked = 0;  // spilled values that could not be read because there is no blob storage
};

// Calls `on_fault` for each fault, in the order of detection.
Outcome<VerifyCounts> verify_design(const design::Design& design, Database& database, const ItemCodec& codec,
                                    const Clock& clock, const VerifyOptions& options,
                                    const std::function<void(const Fault&)>& on_fault);

}  // namespace trestle::runtime
