// Figures of a stream for metrics: records written, stored, trimmed and read, and the lag of the latest reader.
// Collected on request, with a few short reads.
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
  uint64_t trimmed = 0;  // approximate
  uint64_t reads = 0;
  uint64_t read = 0;
  // Now.
  uint64_t records = 0;                  // exact for few records, approximate for many
  std::optional<int64_t> oldest_age_ms;  // absent: there is no record
  // Age of the oldest record that the latest reader has not read yet; absent: nothing was read since the start.
  std::optional<int64_t> iterator_age_ms;
};

StreamFigures stream_figures(const Store& store, const Stream& stream, int64_t now_ms);

}  // namespace trestle
