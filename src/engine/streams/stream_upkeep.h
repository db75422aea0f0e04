// Maintains streams as DynamoDB does: every four hours each open shard is closed and gets a child; records are deleted
// when they are a day old, and so are shards and disabled streams without records.
//
// A job checks every second. Rolling shards changes the catalog only. Trimming finds the newest expired record by a
// binary search in each slot, and covers everything up to it with one range tombstone per slot. Whole files are freed
// when whole shards are deleted. Thread-safe.
#pragma once

#include <cstdint>

#include "engine/jobs/jobs.h"
#include "storage/catalog/stream_catalog.h"

namespace trestle {

struct EngineParts;

struct StreamUpkeepOptions {
  int64_t shard_ms = int64_t{4} * 60 * 60 * 1000;       // how long a shard stays open
  int64_t retention_ms = int64_t{24} * 60 * 60 * 1000;  // how long a record is available
  int64_t trim_interval_ms = int64_t{5} * 60 * 1000;    // how often to look for expired records
  int64_t interval_ms = 1'000;  // how often to check the clock; 0: only when run_due_work() is called
};

class StreamUpkeep {
 public:
  StreamUpkeep(EngineParts& parts, StreamUpkeepOptions options);

  // Does all work that is due now.
  void run_due_work() { job_.drain(); }

 private:
  JobOutcome step(JobRun& run);
  void trim(const Stream& stream, int64_t cutoff_ms);
  Result<uint64_t> newest_expired_commit(const Stream& stream, uint32_t slot, int64_t cutoff_ms) const;

  EngineParts& parts_;
  const StreamUpkeepOptions options_;

  int64_t trimmed_at_ms_ = 0;  // used by the job's step only
  Job& job_;
};

}  // namespace trestle
