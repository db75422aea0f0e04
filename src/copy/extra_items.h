// Removes items of the target that the source does not have: what a copy that begins again left there.
//
// Runs after the scan and before the stream is followed. An item that the source gets in between comes with the stream.
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
  std::atomic<int64_t>& items;  // how many were compared so far
};

// How many were removed. `tick` is called now and then by this thread.
Result<int64_t> remove_extra_items(const ExtraItemsParts& parts, const std::function<void()>& tick);

}  // namespace trestle::copy
