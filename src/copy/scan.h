// The first phase of a copy: writes every item that a parallel scan of the source finds to the target.
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

// How far it is, over all tables: what was copied by earlier runs too.
struct ScanProgress {
  int64_t items = 0;
  int64_t bytes = 0;
  size_t segments_left = 0;
};
ScanProgress scan_progress(const CopyState& state);

// Copies all segments that are not done. `tick` is called now and then by this thread.
Result<void> scan_tables(const ScanParts& parts, const std::function<void()>& tick);

}  // namespace trestle::copy
