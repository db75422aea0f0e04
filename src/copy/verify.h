// Compares the items of two tables.
//
// Both are scanned in parallel into digests (copy/digest.h). Buckets with equal digests contain equal items. The items
// of other buckets are looked up on the other side with BatchGetItem, in both directions. A difference is reported only
// if it persists when both sides are read once more, so that changes in flight are not reported.
//
// An item that exists on one side only and has expired is counted separately, because the other side may have deleted
// it already.
#pragma once

#include <atomic>
#include <functional>

#include "copy/definition.h"
#include "copy/target_writer.h"

namespace trestle::copy {

struct Difference {
  enum class Kind { kMissing, kExtra, kDiffers } kind;
  Item key;
  std::vector<std::string> attributes = {};  // the differing attributes

  // {"pk":{"S":"a"}}: missing at the target
  std::string text() const;
};

struct VerifyReport {
  uint64_t source_items = 0, target_items = 0;
  uint64_t differences = 0;
  uint64_t expired = 0;
  std::vector<Difference> shown = {};  // the first differences
};

// The lines of a table's report: its differences, then the result.
std::vector<std::string> report_lines(const std::string& table, const VerifyReport& report);

struct VerifySide {
  Database& database;
  const Definition& definition;
};

struct VerifyParts {
  VerifySide source, target;
  Pace& pace;
  int64_t now_ms = 0;
  unsigned threads = 8;
  size_t shown_max = 100;
  std::atomic<int64_t>& items;  // read so far, for progress
};

Result<VerifyReport> verify_table(const VerifyParts& parts, const std::function<void()>& tick);

}  // namespace trestle::copy
