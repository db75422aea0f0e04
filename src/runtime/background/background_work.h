// The background work of a served design: tallies through the stream, reactions, unfinished cascades, unreferenced
// blobs. One thread per design, plus those of its reactions.
//
// Only the process that holds the design's lease works (lease.h); the others stand by and take over if it stops. Failed
// work is retried; the last failure is in status(). Thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"
#include "runtime/background/reactions.h"
#include "runtime/items/blob_store.h"
#include "runtime/runtime.h"

namespace trestle::runtime {

struct BackgroundOptions {
  const KeyRing* keys = nullptr;
  BlobStore* blobs = nullptr;  // null: the design spills nothing
  bool remote = false;
  EndpointCall call;
  std::optional<std::set<std::string>> endpoints = {};  // as in ReactionOptions
  std::set<std::string> without = {};                   // as in ReactionOptions
  int64_t poll_ms = 200;
  int64_t blob_sweep_ms = 600'000;
  int64_t blob_age_ms = 3'600'000;
  int64_t resume_ms = 60'000;
  Backoff backoff = {.base_ms = 200, .cap_ms = 30'000};  // of reactions
};

struct BackgroundStatus {
  std::string design;
  bool working = false;       // this process has the lease
  uint64_t records = 0;       // stream records read since the start
  uint64_t tally_writes = 0;  // transactions
  int64_t tally_lag_ms = 0;
  int64_t reaction_lag_ms = 0;
  uint64_t gaps = 0;  // records that the stream lost before they were read
  ReactionCounts reactions;
  std::set<std::string> waits_for;  // endpoints that reactions call and that are not configured
  int64_t dead_letters = 0;         // in the journal
  int64_t open_cascades = 0;        // in the journal
  int64_t cascades_resumed = 0;
  int64_t blobs_swept = 0;
  uint64_t failures = 0;
  std::string last_failure;  // empty: the last round succeeded
};

class BackgroundWork {
 public:
  // The arguments must outlive this object.
  BackgroundWork(DesignRuntime& runtime, Database& database, const Clock& clock, BackgroundOptions options);
  ~BackgroundWork();

  void start();
  // Finishes the current round and releases the lease.
  void stop();
  BackgroundStatus status() const;

 private:
  void run();
  Outcome<size_t> round(int64_t now_ms);
  Outcome<void> upkeep(int64_t now_ms);
  void update_status(const Outcome<size_t>& done);

  DesignRuntime& runtime_;
  const design::Design& design_;
  Database& database_;
  const Clock& clock_;
  const BackgroundOptions options_;
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::thread thread_;

  mutable Mutex mutex_;
  ConditionVariable changed_;
  bool stops_ GUARDED_BY(mutex_) = false;
  BackgroundStatus status_ GUARDED_BY(mutex_);
};

// The number of a design's records in the journal under "<kind>#<design>": JOB (cascades), DEAD (dead letters).
Outcome<int64_t> journal_count(Database& database, const std::string& kind, const std::string& design);

// One JSON object, for GET /designs/<design>/status and `trestle design status`. With `dead`, lists the dead letters.
Outcome<std::string> status_json(const BackgroundStatus& status, Database& database, bool dead);
// The part of the status that is in the journal, for a process that does no background work.
Outcome<BackgroundStatus> journal_status(Database& database, const std::string& design);

}  // namespace trestle::runtime
