// The lease on a design's background work: at most one process holds it, recorded in an item of the journal.
//
//   PK "LEASE#<design>", SK "background", `owner`, `expires` (Unix milliseconds), `fence` (+1 with every new owner)
//
// The lease is acquired and renewed by conditional writes. If it is not renewed for kLeaseMs, another process can
// acquire it. A paused process that has lost the lease without noticing does no harm, because every checkpoint is
// conditional on the previous one (stream_reader.h). Not thread-safe.
#pragma once

#include <string>

#include "model/database.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

inline constexpr int64_t kLeaseMs = 6'000;

class Lease {
 public:
  // `seizes`: take the lease from any previous owner. An embedded database can be opened by only one process, so the
  // previous owner is no longer running.
  Lease(Database& database, std::string design, bool seizes);

  // Acquires or renews the lease; returns whether this process holds it. Once held, calls the database only after a
  // third of kLeaseMs.
  Outcome<bool> hold(int64_t now_ms);
  // Lets another process acquire the lease without waiting for it to expire.
  void release();
  const std::string& owner() const { return owner_; }

 private:
  Database& database_;
  const std::string design_;
  const std::string owner_;
  bool seizes_;
  bool held_ = false;
  int64_t renewed_ms_ = 0;
};

}  // namespace trestle::runtime
