// Verification: every item of a design's tables against what the design says, and repair.
//
//   wrong key, type, index attribute or time to live; a guard that is missing, an orphan or another's; a child item
//   that is missing, says otherwise than its owner or is an orphan; a tally that differs from a recount; an item that
//   no entity has, or that cannot be read
//
// It reads the tables page by page. In memory it holds one entry per tally target (a tenant's day), kTargetsInMemoryMax
// at most: with more, the tables are read again for every further share of the targets. Under live traffic an item may
// change between being read and being judged, so every fault is looked at again before it is told. A tally is told only
// when figures and recount are the same twice; a figure that moves meanwhile is left for the next verification.
//
// Repair writes under the condition that what was found is still so, and never deletes an item that it cannot read.
// Before verifying, whoever calls ends what a crash left (DesignRuntime::resume, StreamTallies::drain).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/backoff.h"
#include "base/clock.h"
#include "runtime/call/item_form.h"

namespace trestle::runtime {

inline constexpr size_t kTargetsInMemoryMax = 1'000'000;

struct Fault {
  std::string kind;  // key, type, index, ttl, guard, orphan-guard, child, orphan-child, tally, unknown, unreadable
  std::string table;
  std::string item;   // for people: its key
  std::string words;  // what is wrong
  bool repaired = false;
  std::string repair;  // what was done, or why nothing was
};

struct VerifyOptions {
  bool repair = false;
  size_t targets_max = kTargetsInMemoryMax;
  int64_t settle_ms = 2'500;  // between the two counts of a tally that differs
  Sleeper sleeper = {};
};

struct VerifyCounts {
  int64_t items = 0;
  int64_t faults = 0;
  int64_t repaired = 0;
};

// Calls `tell` for each fault, in the order of finding.
Outcome<VerifyCounts> verify_design(const design::Design& design, Database& database, const ItemCodec& codec,
                                    const Clock& clock, const VerifyOptions& options,
                                    const std::function<void(const Fault&)>& tell);

}  // namespace trestle::runtime
