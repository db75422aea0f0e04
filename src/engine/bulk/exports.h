// Runs exports: a thread reads a table as of a moment, or the changes between two (engine/recovery/table_at.h), and
// writes them as files of a bucket (bucket/bucket.h) in DynamoDB's layout (exchange/export_layout.h).
//
// Data files are written one after another, and the job is checkpointed with each completed file, so that a restart
// continues after it. An unfinished file is written again under the same name, so no stray file remains. A permanent
// failure of the bucket makes the export FAILED; a transient one is retried for a while. Live traffic has priority
// (engine/jobs/pace.h). Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "engine/jobs/jobs.h"
#include "storage/catalog/export_catalog.h"
#include "storage/lock_ranks.h"

namespace trestle {

struct EngineParts;
class ExportJob;
struct ExportTrouble;

struct ExportOptions {
  int64_t interval_ms = 1'000;               // how often to look what is due; 0: only when finish_jobs() is called
  size_t file_bytes_max = size_t{32} << 20;  // approximate size of a data file before compression
  int64_t retries_ms = 60'000;               // for how long a bucket that does not answer is tried again
};

class Exports {
 public:
  static Result<std::unique_ptr<Exports>> open(EngineParts& parts, ExportOptions options);
  ~Exports();

  const ExportCatalog& catalog() const { return catalog_; }
  // Serializes the calls that begin an export, so that a client token begins only one.
  Mutex& begin_mutex() { return begin_mutex_; }
  // An export was asked for: from now on it is a job, even after a restart.
  Result<void> add(Export export_);
  // Finishes every job, without rests; for tests and tools.
  void finish_jobs() { job_.drain(); }

 private:
  struct Slot {
    std::unique_ptr<ExportJob> job;  // null: to be created again
    int64_t trouble_since_us = 0;    // 0: all is well
    int64_t files = 0;               // finished when the counting of restarts began
    int restarts = 0;                // of the current file, after some of it had been written
    int64_t not_before_us = 0;       // when to try again
  };
  Exports(EngineParts& parts, ExportOptions options);
  void release_lost_holds();
  // Forgets exports that began 90 days ago.
  void tend();
  // One step of each export.
  JobOutcome step(JobRun& run);
  // False: nothing was done, and the export waits.
  bool step(const Export& export_, Slot& slot);
  BasicResult<bool, ExportTrouble> step_job(const Export& export_, Slot& slot);
  void fail(const Export& export_, std::string code, std::string message);

  EngineParts& parts_;
  const ExportOptions options_;
  ExportCatalog catalog_;
  Mutex begin_mutex_{kOperationRank};

  std::map<std::string, Slot> slots_;  // by ARN: the exports that this run has worked on; of the job's step
  int64_t tended_us_ = 0;              // used by the job's step only
  Job& job_;
};

}  // namespace trestle
