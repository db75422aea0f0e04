// Deletes expired items: a job that checks the expiry index for due entries every few seconds.
//
// The job reads each item again under its lock, and deletes it only if it is still expired under its table's current
// setting. The deletion is an ordinary write with WriteOrigin::kTimeToLive: it removes the item and its index entries
// in one commit.
//
// Live traffic has priority: items are deleted in small commits, and after each the job pauses (engine/jobs/jobs.h).
// Tombstones of deleted entries are not scanned again: everything before the floor has been swept, and a write that
// adds an entry below the floor lowers it after its commit, by calling note(). Thread-safe.
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
  double pause_factor_max = 3;  // maximum ratio of pause to work
};

class ExpirySweeper {
 public:
  ExpirySweeper(EngineParts& parts, ExpirySweeperOptions options);

  // Call it after committing an entry with this time.
  void note(uint64_t seconds) {
    uint64_t floor = floor_.load();
    while (seconds < floor && !floor_.compare_exchange_weak(floor, seconds)) continue;
  }

  // Deletes everything that is due now, without pauses.
  void sweep_now() { job_.drain(); }

  uint64_t deleted_count() const { return deleted_.load(std::memory_order_relaxed); }
  // The current backlog of a table: the number of items due for deletion, counted up to `most`, and the seconds until
  // the first item expires. Those are negative if it has expired already, and absent if no item expires.
  struct Backlog {
    uint64_t due = 0;
    std::optional<int64_t> next_due_seconds;
  };
  Backlog backlog(const TableVersion& table, uint64_t most) const;

  // How long ago the oldest due item expired, as of the last check; 0 if none is due.
  uint64_t lag_seconds() const { return lag_seconds_.load(std::memory_order_relaxed); }

 private:
  JobOutcome sweep(JobRun& run);
  // Returns false if the sweep of this table ended early.
  bool sweep_table(const TableVersion& table, uint64_t from, uint64_t now, JobRun& run);
  bool delete_expired(const TableVersion& seen, const std::vector<std::string>& entries, uint64_t now,
                      const JobRun& run);

  EngineParts& parts_;
  const ExpirySweeperOptions options_;

  std::atomic<uint64_t> floor_{0};
  std::atomic<uint64_t> sweeping_from_{UINT64_MAX};  // the start of the sweep in progress; UINT64_MAX: none
  std::atomic<uint64_t> deleted_{0};
  std::atomic<uint64_t> lag_seconds_{0};
  UnsyncedWork unsynced_;  // used by the job's step only

  Job& job_;
};

}  // namespace trestle
