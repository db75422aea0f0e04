// Who does a design's background work: one process at a time, by an item of the journal.
//
//   PK "LEASE#<design>", SK "background", `owner`, `expires` (Unix milliseconds), `fence` (+1 with every new owner)
//
// Taken and renewed by conditional writes; one that is not renewed for kLeaseMs can be taken by another. A process that
// stood still and does not know that it lost the lease does no harm: checkpoints move only from where it believes them
// to be (stream_reader.h). One thread at a time.
#pragma once

#include <string>

#include "model/database.h"
#include "runtime/call/refusal.h"

namespace trestle::runtime {

inline constexpr int64_t kLeaseMs = 6'000;

class Lease {
 public:
  // `seizes`: whoever had it is gone, because the database is embedded and opens for one process only.
  Lease(Database& database, std::string design, bool seizes);

  // Takes or renews it; whether it is ours now. Asks the database only when a third of the time is over.
  Outcome<bool> hold(int64_t now_ms);
  // So that another need not wait.
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
