// Bounds what a job has committed and the disk has not synced. A sync takes everything that was written before it, so a
// client that waits for its own small write waits for all of that, too.
//
//   TRY(unsynced_.wait(store, run));                        // before a piece of work, holding no locks
//   ...commit...
//   unsynced_.add(store, commit, batch.size_bytes(), run);
//
// While clients wait for syncs, every commit is synced before the next one: a slow disk then slows the job as it slows
// them. The job asks for no sync of its own as long as the clients' syncs cover it, since a client that comes during a
// sync waits for two. The sync takes place while the job rests. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/jobs/jobs.h"
#include "storage/store.h"

namespace trestle {

class UnsyncedWork {
 public:
  // Returns when little enough is unsynced. The time that this takes is not work to rest from.
  Result<void> wait(Store& store, JobRun& run);
  void add(Store& store, uint64_t commit, size_t bytes, const JobRun& run);

 private:
  uint64_t last_ = 0;        // commit
  size_t bytes_ = 0;         // since the last commit whose sync is waited for
  bool waits_ = false;       // for a sync
  bool is_patient_ = false;  // that clients ask for
};

}  // namespace trestle
