// Whether two tables hold the same items.
//
// Both are scanned in parallel into digests (copy/digest.h). Where those are equal, so are the items. Items of buckets
// that differ are then looked up on the other side, both ways, by BatchGetItem; a difference is told only if it is
// still there when both sides are read once more, so that changes on their way are not taken for differences.
//
// An item that is on one side only, and whose time to live is over there, is counted apart: the other side has deleted
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
  std::vector<std::string> attributes = {};  // those that differ

  // {"pk":{"S":"a"}}: missing at the target
  std::string text() const;
};

struct VerifyReport {
  uint64_t source_items = 0, target_items = 0;
  uint64_t differences = 0;
  uint64_t expired = 0;
  std::vector<Difference> shown = {};  // the first of them
};

// What to tell of a table's report: its differences, and at last the result.
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
