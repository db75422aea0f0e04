// Runs backups and restores, and maintains history: a thread copies a page of each job at a time, and once a second
// trims histories and deletes expired backups.
//
// A job's page and its cursor are one commit, so that a restart continues exactly where it stopped. The source is a
// table as of a moment (engine/recovery/table_at.h), read without a long-lived snapshot; writes never wait for it. Live
// traffic has priority (engine/jobs/pace.h). Thread-safe.
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
  int64_t interval_ms = 1'000;  // how often to look what is due; 0: only when tend() and finish_jobs() are called
  TableAt::Limits page{.keys_max = 64, .bytes_max = size_t{256} << 10};
  double rest_factor_max = 4;  // maximum ratio of rest to work
};

class Recovery {
 public:
  Recovery(EngineParts& parts, RecoveryOptions options);

  // On startup, once the recount has its snapshot: removes remains of jobs that were about to begin, or had just ended,
  // at a crash.
  void resume();
  // A backup or a restore was added.
  void wake() { job_.wake(); }
  // Copies all that there is to copy, without rests; for tests and tools.
  void finish_jobs() { job_.drain(); }
  // Releases holds that could not be released before, informs the store what history is no longer needed, forgets
  // expired backups, and notes the time of the history.
  void tend();
  // A hold that is no longer used and could not be released: tend() does it.
  void release_later(uint32_t hold) EXCLUDES(unreleased_mutex_);

 private:
  // One page of each backup and restore.
  JobOutcome step(JobRun& run);
  Result<void> step(const Backup& backup, const JobRun& run);
  Result<void> step(const Restore& restore, const JobRun& run);
  // Forgets a job without a table, unless the table was only about to come.
  Result<void> give_up(const Restore& restore);
  Result<void> finish(const Restore& restore);
  void release_now() EXCLUDES(unreleased_mutex_);

  EngineParts& parts_;
  const RecoveryOptions options_;

  std::atomic<int64_t> noted_ms_{0};  // the time of the history as last noted
  int64_t tended_us_ = 0;             // of the job's step
  UnsyncedWork unsynced_;             // of the job's step
  Mutex unreleased_mutex_{kShortRank};
  std::set<uint32_t> unreleased_ GUARDED_BY(unreleased_mutex_);
  Job& job_;
};

}  // namespace trestle
