// A complete copy: definitions, positions of streams, scan, follow, settings, verify.
//
// After an interruption at any point, the same call continues where it stopped (copy/state_file.h).
#pragma once

#include <string>
#include <vector>

#include "copy/follow.h"
#include "copy/stop.h"
#include "model/database.h"

namespace trestle::copy {

struct CopyOptions {
  std::string from, to;             // as the caller wrote them
  std::vector<std::string> tables;  // "name" or "name=name at the target"; empty: all
  std::string state;                // the path of the state file; empty: default_state_name()
  bool restart = false;             // discard the progress of an earlier run
  unsigned threads = 8;
  unsigned segments = 0;  // of each table's scan; 0: depends on the table's size
  double write_units_per_second = 0, items_per_second = 0, read_units_per_second = 0;  // 0: no limit
  int64_t patience_ms = 120'000;
  bool on_demand = false;    // create tables with on-demand billing, whatever the source's billing mode
  bool with_stream = false;  // enable the source's streams at the target
  bool any_indexes = false;  // allow different indexes
  bool overwrite = false;    // copy into tables that have items
  bool once = false;         // do not follow streams
  bool enable_stream = false;
  FollowOptions follow = {};
  bool verify = false, verify_only = false;
  size_t differences_max = 100;
};

// Exit statuses.
inline constexpr int kDone = 0, kFailed = 1, kDifferent = 2, kStopped = 130;

struct CopySides {
  Database& source;
  Database& target;
};
int run_copy(const CopyOptions& options, const CopySides& sides, Stop& stop);

}  // namespace trestle::copy
