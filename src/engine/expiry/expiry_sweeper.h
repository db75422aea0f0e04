// Deletes expired items: a job that checks the expiry index for due entries every few seconds.
//
// An item is deleted only if it is still expired under its table's current setting when it is read again under its
// lock. The deletion is an ordinary write: with its index entries, in one commit, with WriteOrigin::kTimeToLive.
//
// Live traffic has priority: items are deleted in small commits, and after each the job rests (engine/jobs/jobs.h).
// Deleted entries are not scanned again: everything before the floor has been swept, and a write that adds an entry
// below the floor lowers it (note()) after its commit. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/jobs/jobs.h"
#include "engine/jobs/unsynced_work.h"
#include "storage/catalog/catalog.h"

namespace trestle {

struct EngineParts;

struct ExpirySweeperOptions {
  int64_t interval_ms = 2'000;  // 0: only when sweep_now() is called
  size_t items_per_commit = 32;
  double rest_factor_max = 3;  // maximum ratio of rest to work
};

class ExpirySweeper {
 public:
  ExpirySweeper(EngineParts& parts, ExpirySweeperOptions options);

  // An entry of this time was committed.
  void note(uint64_t seconds) {
    uint64_t floor = floor_.load();
    while (seconds < floor && !floor_.compare_exchange_weak(floor, seconds)) continue;
  }

  // Deletes all that is due now, without rests.
  void sweep_now() { job_.drain(); }

  uint64_t deleted_count() const { return deleted_.load(std::memory_order_relaxed); }
  // The current backlog: how many items of a table are due for deletion, counted up to `most`, and in how many seconds
  // the first of all expires; negative: in the past; absent: none expires.
  struct Backlog {
    uint64_t due = 0;
    std::optional<int64_t> next_due_seconds;
  };
  Backlog backlog(const TableVersion& table, uint64_t most) const;

  // How long ago the oldest item that is due expired, as of the last look; 0 if none is.
  uint64_t lag_seconds() const { return lag_seconds_.load(std::memory_order_relaxed); }

 private:
  JobOutcome sweep(JobRun& run);
  // False: the sweep of this table is over before its end.
  bool sweep_table(const TableVersion& table, uint64_t from, uint64_t now, JobRun& run);
  bool delete_expired(const TableVersion& seen, const std::vector<std::string>& entries, uint64_t now,
                      const JobRun& run);

  EngineParts& parts_;
  const ExpirySweeperOptions options_;

  std::atomic<uint64_t> floor_{0};
  std::atomic<uint64_t> sweeping_from_{UINT64_MAX};  // the start of the sweep in progress; UINT64_MAX: none
  std::atomic<uint64_t> deleted_{0};
  std::atomic<uint64_t> lag_seconds_{0};
  UnsyncedWork unsynced_;  // of the job's step

  Job& job_;
};

}  // namespace trestle
