// Blobs that no item refers to any more are erased.
//
// A blob is written before the item that refers to it, so what is younger than kBlobAgeMs may only be waiting for its
// item. A sweep lists older ones, up to kBlobsMax, scans the tables whose items spill, and erases those that it did not
// meet: of items that were deleted, replaced or expired, and of writes that were refused or cut short.
//
// A table that is restored refers to blobs again that no current item does. So a blob stays while a backup of its
// table, of any kind, is younger than the blob, and while the table has point-in-time recovery. Where backups cannot be
// asked for, nothing is erased, unless the endpoint does not have them at all.
#pragma once

#include <cstdint>

#include "design/language/design.h"
#include "model/database.h"
#include "runtime/background/blob_store.h"
#include "runtime/call/refusal.h"

namespace trestle::runtime {

inline constexpr int64_t kBlobAgeMs = 3'600'000;
inline constexpr size_t kBlobsMax = 100'000;

struct BlobSweep {
  int64_t now_ms = 0;
  int64_t age_ms = kBlobAgeMs;
};
// How many blobs were erased.
Outcome<int64_t> sweep_blobs(const design::Design& design, Database& database, BlobStore& blobs,
                             const BlobSweep& sweep);

}  // namespace trestle::runtime
