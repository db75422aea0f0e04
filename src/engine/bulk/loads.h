// Runs loads: imports and bulk puts. A thread reads records from the objects of a bucket (exchange/record_reader.h) and
// writes them like client writes, one page of each load at a time.
//
// A page's items and the load's cursor are written in one commit, so that a restart continues exactly where it stopped.
// The table of an import is CREATING, and unavailable to clients, until everything is written. Invalid items are
// counted, logged and skipped. Live traffic has priority: after each page the thread pauses for a multiple of the time
// it worked. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "bucket/bucket.h"
#include "engine/jobs/jobs.h"
#include "engine/jobs/unsynced_work.h"
#include "model/error.h"
#include "model/value.h"
#include "storage/catalog/load_catalog.h"
#include "storage/lock_ranks.h"

namespace trestle {

struct EngineParts;
struct LoadPage;
struct TableVersion;

struct LoadOptions {
  int64_t interval_ms = 1'000;  // how often to check for due work; 0: only when finish_jobs() is called
  size_t page_items_max = 64;   // a client's write of one of the items waits for the whole page
  size_t page_bytes_max = size_t{256} << 10;
  double pause_factor_max = 4;  // maximum ratio of pause to work
};

class Loads {
 public:
  static Result<std::unique_ptr<Loads>> open(EngineParts& parts, LoadOptions options);
  ~Loads();

  LoadCatalog& catalog() { return *catalog_; }
  // Call it after adding a load to the catalog.
  void wake() { job_.wake(); }
  // Requests that a load be cancelled. Returns false if it has ended already.
  Result<bool> cancel(const std::string& arn);
  // Finishes all loads, without pauses; for tests and tools.
  void finish_jobs() { job_.drain(); }

 private:
  struct Reading;

  Loads(EngineParts& parts, LoadOptions options);
  Result<void> forget_orphans();
  // Deletes loads that are too old to be listed.
  void forget_old();
  // Processes one page of each load.
  JobOutcome step(JobRun& run);
  // Null if the table no longer exists.
  std::shared_ptr<const TableVersion> find_table(const Load& load) const;
  Result<void> step(const Load& load, Reading& reading, JobRun& run);
  BucketResult<const LoadPage*> read_page(Load& load, const TableVersion& table, Reading& reading);
  Result<bool> put_page(Load next, const LoadPage& page, Reading& reading, const JobRun& run);
  Result<bool> commit(Load next, const TableVersion& table, const std::map<std::string, const Item*>& puts,
                      const JobRun& run);
  static void count_index_bytes(Load& load, const TableDescription& table, ItemView item);
  Result<void> finish(const Load& load);
  Result<void> fail(const Load& load, std::string code, std::string message);
  Result<void> end(const Load& load, BulkOperationStatus status, std::string code, std::string message);

  EngineParts& parts_;
  const LoadOptions options_;
  std::unique_ptr<LoadCatalog> catalog_;

  std::map<std::string, std::unique_ptr<Reading>> readings_;  // by ARN; used by the job's step only
  UnsyncedWork unsynced_;                                     // used by the job's step only
  int64_t forgot_ms_ = 0;                                     // used by the job's step only
  // Held from reading a load's status to committing it, but not until that is durable: commit() waits for it while it
  // holds the table's gate. Acquired before the locks of items.
  Mutex status_mutex_{kLoadStatusRank};
  Job& job_;
};

}  // namespace trestle
