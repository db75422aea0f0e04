#include "engine/recovery/history_holds.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/tables/dropped_keyspaces.h"

namespace trestle {

void pass_history(ItemParts& parts, int64_t time_ms) {
  parts.history_clock.pass(time_ms);
  const uint64_t begun = parts.store->begun_commit();
  while (parts.store->finished_commit() < begun) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

Result<HistoryHold> hold_history(EngineParts& parts, const std::string& table_name, const std::string& owner,
                                 std::optional<int64_t> time_ms, const std::string& table_id) {
  const auto begin_commit = [&parts]() -> Catalog::HoldRequest::Moment {
    const auto [commit, begin_ms] = parts.history_clock.begin(*parts.store);
    return {.commit = commit, .time_ms = begin_ms};
  };
  auto held = parts.catalog->hold_history({.table_name = table_name,
                                           .table_id = table_id,
                                           .owner = owner,
                                           .time_ms = time_ms,
                                           .begin_commit = begin_commit});
  if (!held.has_value()) {
    // If the outcome is unknown, the hold may exist although no one will use it.
    for (const auto& hold : parts.catalog->recovery().holds()) {
      if (hold->owner == owner) parts.recovery->release_later(hold->id);
    }
    return held;
  }
  const HistoryHold& hold = *held;
  if (!time_ms) return hold;
  pass_history(parts, *time_ms);
  return hold;
}

Result<void> release_history(EngineParts& parts, uint32_t hold) {
  const auto released = parts.catalog->release_history(hold);
  if (!released.has_value()) parts.recovery->release_later(hold);
  start_freeing(parts);
  return released;
}

void release_unused(EngineParts& parts, uint32_t hold) {
  const auto has_it = [&](const auto& job) { return job->hold == hold; };
  const auto backups = parts.catalog->recovery().backups();
  const auto restores = parts.catalog->recovery().restores();
  if (std::ranges::none_of(backups, has_it) && std::ranges::none_of(restores, has_it))
    (void)release_history(parts, hold);
}

}  // namespace trestle
