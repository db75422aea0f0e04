// Runs backups and restores, and maintains histories. A thread copies one page of each job at a time; once a second it
// trims histories and deletes expired backups.
//
// A job's page and its cursor are written in one commit, so that a restart continues exactly where it stopped. The
// source is a table as of a moment (engine/recovery/table_at.h), which needs no long-lived snapshot and never blocks
// writes. Live traffic has priority (engine/jobs/pace.h). Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>

#include "base/mutex.h"
#include "engine/jobs/jobs.h"
#include "engine/jobs/unsynced_work.h"
#include "engine/recovery/table_at.h"
#include "storage/catalog/catalog.h"
#include "storage/lock_ranks.h"

namespace trestle {

struct EngineParts;

struct RecoveryOptions {
  int64_t interval_ms =
      1'000;  // how often to check for due work; 0: only when run_due_work() and finish_jobs() are called
  TableAt::Limits page{.keys_max = 64, .bytes_max = size_t{256} << 10};
  double pause_factor_max = 4;  // maximum ratio of pause to work
};

class Recovery {
 public:
  Recovery(EngineParts& parts, RecoveryOptions options);

  // Call it on startup, after the recount has taken its snapshot. Removes remains of jobs that were starting or ending
  // when the process crashed.
  void resume();
  // Call it after adding a backup or restore to the catalog.
  void wake() { job_.wake(); }
  // Finishes all backups and restores, without pauses; for tests and tools.
  void finish_jobs() { job_.drain(); }
  // Releases holds that could not be released before, tells the store which history is no longer needed, deletes
  // expired backups, and saves the history clock's time.
  void run_due_work();
  // Makes run_due_work() release an unused hold that could not be released.
  void release_later(uint32_t hold) EXCLUDES(unreleased_mutex_);

 private:
  // Copies one page of each backup and restore.
  JobOutcome step(JobRun& run);
  Result<void> step(const Backup& backup, const JobRun& run);
  Result<void> step(const Restore& restore, const JobRun& run);
  Result<void> finish(const Restore& restore);
  void release_now() EXCLUDES(unreleased_mutex_);

  EngineParts& parts_;
  const RecoveryOptions options_;

  std::atomic<int64_t> saved_history_ms_{0};  // the history clock's time as last saved
  int64_t due_work_us_ = 0;                   // used by the job's step only
  UnsyncedWork unsynced_;                     // used by the job's step only
  Mutex unreleased_mutex_{kShortRank};
  std::set<uint32_t> unreleased_ GUARDED_BY(unreleased_mutex_);
  Job& job_;
};

}  // namespace trestle
