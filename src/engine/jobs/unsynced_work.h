// Limits how much of a job's committed data is not synced yet. A sync covers everything that was written before it, so
// a client that waits for its own small write also waits for the job's data.
//
//   TRY(unsynced_.wait(store, run));                        // before a piece of work, holding no locks
//   ...commit...
//   unsynced_.add(store, commit, batch.size_bytes(), run);
//
// While clients wait for syncs, each of the job's commits is synced before the next one, so that a slow disk slows the
// job as much as the clients. As long as the clients' syncs cover the job's commits, it requests none of its own,
// because a client that arrives during a sync must wait for two. The sync takes place while the job pauses. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/jobs/jobs.h"
#include "storage/store.h"

namespace trestle {

class UnsyncedWork {
 public:
  // Waits until the unsynced data is below the limit. The wait does not count as work that requires a pause.
  Result<void> wait(Store& store, JobRun& run);
  void add(Store& store, uint64_t commit, size_t bytes, const JobRun& run);

 private:
  uint64_t last_ = 0;        // the last commit
  size_t bytes_ = 0;         // committed since the last wait
  bool waits_ = false;       // the next wait() must wait for a sync
  bool is_patient_ = false;  // and may leave it to clients to request that sync
};

}  // namespace trestle
