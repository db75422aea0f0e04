// Erases blobs that no item refers to any more.
//
// A blob is written before the item that refers to it, so the item of a blob younger than kBlobAgeMs may not have been
// written yet. A sweep lists older blobs, up to kBlobsMax, scans the tables whose items spill, and erases the blobs to
// which it found no reference: those of items that were deleted, replaced or expired, and of writes that were refused
// or interrupted.
//
// A restored table may refer to blobs that no current item refers to. So a blob is retained while there is a backup of
// its table, of any kind, that is younger than the blob. If the table has point-in-time recovery, a blob is retained
// for the recovery period after the sweep that first found it unreferenced. That sweep writes a mark, a small blob
// named "<blob>.unreferenced", whose age shows how long the blob has been unreferenced. The mark is erased when the
// blob is referenced again. If backups cannot be listed, nothing is erased, unless the endpoint does not support
// backups at all.
#pragma once

#include <cstdint>
#include <string_view>

#include "design/language/design.h"
#include "model/database.h"
#include "runtime/items/blob_store.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

inline constexpr int64_t kBlobAgeMs = 3'600'000;
inline constexpr size_t kBlobsMax = 100'000;

inline constexpr std::string_view kUnreferencedMark = ".unreferenced";  // no name of a blob contains a dot

struct BlobSweep {
  int64_t now_ms = 0;
  int64_t age_ms = kBlobAgeMs;
};
// Returns the number of erased blobs.
Outcome<int64_t> sweep_blobs(const design::Design& design, Database& database, BlobStore& blobs,
                             const BlobSweep& sweep);

}  // namespace trestle::runtime
