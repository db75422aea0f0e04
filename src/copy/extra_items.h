// Removes the items of the target that the source does not have, which an earlier copy left there.
//
// Runs after the scan and before the stream is followed. An item that is added to the source in between is in the
// stream.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "copy/target_writer.h"

namespace trestle::copy {

struct ExtraItemsParts {
  Database& source;
  Database& target;
  TargetWriter& writer;
  Pace& pace;
  std::string source_table, target_table;
  std::vector<std::string> key_names;
  size_t segments = 1;
  unsigned threads = 8;
  std::atomic<int64_t>& items;  // compared so far
};

// Returns the number of removed items. The caller's thread calls `tick` periodically.
Result<int64_t> remove_extra_items(const ExtraItemsParts& parts, const std::function<void()>& tick);

}  // namespace trestle::copy
