// Backups being made and tables being restored, and what keeps their material in order: a thread copies a page of each
// job at a time, and once a second trims histories and forgets expired backups.
//
// A job's page, and how far the job is, go in one commit, so that a restart goes on where it stopped, exactly. What is
// copied is a table as of one moment (engine/recovery/table_at.h), read without a snapshot that lasts; no write ever
// waits for it. Live traffic comes first (engine/jobs/pace.h). Threads may share it.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/jobs/jobs.h"
#include "engine/recovery/table_at.h"
#include "storage/catalog/catalog.h"

namespace trestle {

class Engine;

struct RecoveryOptions {
  int64_t interval_ms = 1'000;  // how often to look what is due; 0: only when tend() and finish_jobs() are called
  TableAt::Limits page{.keys_max = 256, .bytes_max = size_t{256} << 10};
  double rest_factor_max = 4;  // rests at most this many times as long as it worked
};

class Recovery {
 public:
  Recovery(Engine& engine, RecoveryOptions options);

  // At a start, after the counts of before it have a snapshot to be counted from: forgets what a crash left of jobs
  // that were about to begin, or had just ended.
  void resume();
  // A backup or a restore was added.
  void wake() { job_.wake(); }
  // Copies all that there is to copy, without rests; for tests and tools.
  void finish_jobs() { job_.drain(); }
  // Tells the store what history is no longer needed, forgets expired backups, and notes the time of the history.
  void tend();

 private:
  // One page of each backup and restore.
  JobOutcome step(JobRun& run);
  Result<void> step(const Backup& backup);
  Result<void> step(const Restore& restore);
  // Forgets a job without a table, unless the table was only about to come.
  Result<void> give_up(const Restore& restore);
  Result<void> finish(const Restore& restore);

  Engine& engine_;
  const RecoveryOptions options_;

  std::atomic<int64_t> noted_ms_{0};  // the time of the history as last noted
  int64_t tended_us_ = 0;             // of the job's step
  Job& job_;
};

}  // namespace trestle
