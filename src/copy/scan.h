// The first phase of a copy: scans the source in parallel and writes every item to the target.
//
// Each segment of a table is processed by one thread at a time: it reads a page, writes it, and only then advances the
// cursor in the state. Reads are consistent, so a scan sees everything written before it began.
#pragma once

#include <functional>

#include "copy/state_file.h"
#include "copy/target_writer.h"

namespace trestle::copy {

struct ScanParts {
  Database& source;
  TargetWriter& writer;
  Pace& pace;
  StateFile& state;
  unsigned threads = 8;
};

// The progress over all tables, including earlier runs.
struct ScanProgress {
  int64_t items = 0;
  int64_t bytes = 0;
  size_t segments_left = 0;
};
ScanProgress scan_progress(const CopyState& state);

// Copies all segments that are not done. The caller's thread calls `tick` periodically.
Result<void> scan_tables(const ScanParts& parts, const std::function<void()>& tick);

}  // namespace trestle::copy
