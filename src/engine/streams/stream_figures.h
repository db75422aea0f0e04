// Figures of streams for metrics: what was written, is kept, was trimmed and read, and how far the latest reader is
// behind. Gathered when asked for, with a few short reads of each stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "storage/catalog/stream_catalog.h"

namespace trestle {

struct StreamFigures {
  std::string table_name;
  // Since the program started.
  uint64_t written = 0;
  uint64_t trimmed = 0;  // about
  uint64_t reads = 0;
  uint64_t read = 0;
  // Now.
  uint64_t kept = 0;                       // exact for a few records, about for more
  std::optional<int64_t> oldest_age_ms;    // nothing: no record is kept
  std::optional<int64_t> iterator_age_ms;  // of the oldest record that the latest reader has yet to read; nothing:
                                           // nobody has read since the start
};

StreamFigures stream_figures(const Store& store, const Stream& stream, int64_t now_ms);

}  // namespace trestle
