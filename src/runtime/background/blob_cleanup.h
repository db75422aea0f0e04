// Erases blobs that no item refers to any more.
//
// A blob is written before the item that refers to it, so a blob younger than kBlobAgeMs may still be waiting for its
// item. A sweep lists older blobs, up to kBlobsMax, scans the tables whose items spill, and erases those that it did
// not find: of items that were deleted, replaced or expired, and of writes that were refused or interrupted.
//
// A restored table may refer to blobs that no current item refers to. So a blob is retained while a backup of its
// table, of any kind, is younger than the blob. If the table has point-in-time recovery, a blob is retained for the
// recovery period after the sweep that first found it unreferenced: that sweep writes a mark, a small blob named
// "<blob>.unreferenced", whose age tells the time. The mark goes when the blob is referenced again. If backups cannot
// be listed, nothing is erased, unless the endpoint does not support them at all.
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
// How many blobs were erased.
Outcome<int64_t> sweep_blobs(const design::Design& design, Database& database, BlobStore& blobs,
                             const BlobSweep& sweep);

}  // namespace trestle::runtime
