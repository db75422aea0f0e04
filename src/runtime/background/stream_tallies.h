// Tallies with `through: stream`. The changes of a table are aggregated by target and written in one transaction with
// the shard's checkpoint, so that each change is counted exactly once, even after a crash.
//
// A tally covers the creation, change and removal of the items it counts, including removal by time to live, so that it
// always equals a recount. A target that cannot be written is set aside with a dead letter (tally_letters.h); the other
// targets are counted. Not thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "runtime/background/stream_reader.h"
#include "runtime/requests/tally_change.h"

namespace trestle::runtime {

class StreamTallies {
 public:
  // The arguments must outlive this object.
  StreamTallies(const design::Design& design, Database& database, const ItemCodec& codec, ItemForm& form);

  // Whether the design has no such tallies.
  bool empty() const { return tables_.empty(); }
  // Reads every table's stream once; returns the number of records.
  Outcome<size_t> poll(int64_t now_ms);
  // Polls until the streams have no more records. To be called before figures are read that must be up to date.
  Outcome<void> drain(int64_t now_ms);
  void forget();

  int64_t lag_ms() const;
  uint64_t gaps() const;
  uint64_t written() const { return written_; }  // transactions

 private:
  struct Source {
    const design::Table* table;
    StreamReader reader;
  };
  Outcome<bool> apply(Source& source, const StreamBatch& batch, int64_t now_ms);
  Outcome<TallyTargets> targets_of(const Source& source, const StreamRecord& record, int64_t now_ms);
  // Changes that are written together: summed by target, and the changes of each record for writing them one by one.
  struct Group {
    TallyTargets targets;
    std::vector<std::pair<std::string, TallyTargets>> records;  // by sequence number
  };
  Outcome<void> write_group(Source& source, const std::string& shard, const ShardPosition& from,
                            const ShardPosition& to, const Group& group, int64_t now_ms);
  // False: DynamoDB rejects the request as a whole, for example because it is too large. With `is_last_try`, all
  // targets are then set aside instead.
  Outcome<bool> write(Source& source, const std::string& shard, const ShardPosition& from, const ShardPosition& to,
                      const TallyTargets& targets, bool is_last_try, int64_t now_ms);

  const design::Design& design_;
  Database& database_;
  const ItemCodec& codec_;
  TallyChange change_;
  ItemForm& form_;
  std::vector<std::unique_ptr<Source>> tables_;
  uint64_t written_ = 0;
};

}  // namespace trestle::runtime
