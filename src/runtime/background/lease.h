// The lease on a design's background work: at most one process holds it, recorded in an item of the journal.
//
//   PK "LEASE#<design>", SK "background", `owner`, `expires` (Unix milliseconds), `fence` (+1 with every new owner)
//
// Taken and renewed by conditional writes; a lease that is not renewed for kLeaseMs can be taken by another process. A
// paused process that does not know that it lost the lease does no harm: the condition of a checkpoint is the previous
// checkpoint (stream_reader.h). Not thread-safe.
#pragma once

#include <string>

#include "model/database.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

inline constexpr int64_t kLeaseMs = 6'000;

class Lease {
 public:
  // `seizes`: take the lease from any previous owner, which no longer runs, because an embedded database can be opened
  // by one process only.
  Lease(Database& database, std::string design, bool seizes);

  // Takes or renews the lease; returns whether this process holds it. Calls the database only when a third of the time
  // has passed.
  Outcome<bool> hold(int64_t now_ms);
  // So that another process need not wait.
  void release();
  const std::string& owner() const { return owner_; }

 private:
  Database& database_;
  const std::string design_;
  const std::string owner_;
  bool seizes_;
  bool held_ = false;
  int64_t asked_ms_ = 0;
};

}  // namespace trestle::runtime
