// Runs exports. A thread reads a table as of a moment, or the changes between two moments (engine/recovery/table_at.h),
// and writes them as files in a bucket (bucket/bucket.h) in DynamoDB's layout (exchange/export_layout.h).
//
// Data files are written one after another. The job is checkpointed with each completed file, and a restart continues
// after the last one. An unfinished file is written again under the same name, so no stray file remains. A permanent
// failure of the bucket makes the export FAILED; a transient failure is retried for a while. Live traffic has priority
// (engine/jobs/pace.h). Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "engine/jobs/jobs.h"
#include "storage/catalog/export_catalog.h"
#include "storage/lock_ranks.h"

namespace trestle {

struct EngineParts;
class ExportJob;
struct ExportFailure;

struct ExportOptions {
  int64_t interval_ms = 1'000;               // how often to check for due work; 0: only when finish_jobs() is called
  size_t file_bytes_max = size_t{32} << 20;  // approximate size of a data file before compression
  int64_t retries_ms = 60'000;               // how long to retry while a bucket is unavailable
};

class Exports {
 public:
  static Result<std::unique_ptr<Exports>> open(EngineParts& parts, ExportOptions options);
  ~Exports();

  const ExportCatalog& catalog() const { return catalog_; }
  // Serializes the calls that start an export, so that a client token starts only one.
  Mutex& begin_mutex() { return begin_mutex_; }
  // Adds a requested export. From now on it is a job that survives restarts.
  Result<void> add(Export export_);
  // Finishes all jobs, without pauses; for tests and tools.
  void finish_jobs() { job_.drain(); }

 private:
  struct Slot {
    std::unique_ptr<ExportJob> job;     // null: to be created (again) by the next step
    int64_t failing_since_us = 0;       // 0: not failing
    int64_t files = 0;                  // completed files when `restarts` was last reset
    int restarts = 0;                   // how often the current file was restarted after some of it had been written
    int failures = 0;                   // consecutive failures of the store
    int64_t not_before_us = 0;          // when to retry
    bool has_ended = false;             // only end() is left to do
    std::vector<std::string> obsolete;  // objects to erase then
  };
  Exports(EngineParts& parts, ExportOptions options);
  void release_orphaned_holds();
  // Removes exports that began more than 90 days ago.
  void remove_old_exports();
  // One step of each export.
  JobOutcome step(JobRun& run);
  // Returns false if the export is waiting for a retry.
  bool step(const Export& export_, Slot& slot);
  // Exports a page, or completes the export, or fails it.
  Result<void> work(const Export& export_, Slot& slot);
  BasicResult<bool, ExportFailure> step_job(const Export& export_, Slot& slot);
  Result<void> fail(const Export& export_, Slot& slot, std::string code, std::string message);
  // Frees what an export needed that has ended, once its end is durable.
  Result<void> end(const Export& export_, Slot& slot);

  EngineParts& parts_;
  const ExportOptions options_;
  ExportCatalog catalog_;
  Mutex begin_mutex_{kOperationRank};

  std::map<std::string, Slot> slots_;   // by ARN: the exports worked on since the start; used by the job's step only
  int64_t old_exports_removed_us_ = 0;  // used by the job's step only
  Job& job_;
};

}  // namespace trestle
