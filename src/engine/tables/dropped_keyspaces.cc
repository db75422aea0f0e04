#include "engine/tables/dropped_keyspaces.h"

#include <algorithm>

#include "base/test_point.h"
#include "engine/expiry/expiry_fill.h"

namespace trestle {
namespace {

// Frees one dropped keyspace. Returns idle() if all that are left are still being read; their reader calls
// start_freeing() when it is done.
JobOutcome free_dropped_keyspace(ItemParts& parts) {
  const auto dropped = parts.catalog->dropped();
  const auto next =
      std::ranges::find_if_not(dropped, [&](uint32_t keyspace) { return parts.catalog->recovery().is_read(keyspace); });
  if (next == dropped.end()) return JobOutcome::idle();
  TRESTLE_TEST_POINT("free.keyspace");
  // Sync first: files are deleted immediately and irrevocably, and a crash must not bring the table back without them.
  if (!parts.store->sync().has_value()) return JobOutcome::failed();
  if (!parts.store->drop_range(Space::kItems, keyspace_range(*next)).has_value() ||
      !parts.store->drop_range(Space::kHistory, keyspace_range(*next)).has_value() ||
      !reset_expiry(parts, *next, false).has_value()) {
    return JobOutcome::failed();
  }
  parts.throughput.forget(*next);
  parts.insights.forget(*next);
  return parts.catalog->forget_dropped(*next).has_value() ? JobOutcome::worked() : JobOutcome::failed();
}

}  // namespace

void start_freeing(EngineParts& parts) {
  if (parts.catalog->dropped().empty()) return;
  parts.background.add("free", [&parts](JobRun&) { return free_dropped_keyspace(parts); });
}

}  // namespace trestle
