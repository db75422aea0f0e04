// Reads a table's stream shard by shard, parents before their children (model/callers/stream_shards.h), starting from
// the checkpoints in the journal.
//
// The checkpoint of a consumer is an item of the journal per shard:
//   PK "STREAM#<design>" or "STREAM#<design>#<consumer>", SK "<table>/<stream label>/<shard>",
//   `sequence_number` of the last processed record (absent: none), `ended` once the shard is closed
//   and processed.
// It is written with checkpoint(), which is conditional on the previous checkpoint. If two processes read the same
// shard, only one can advance it, so the other writes in its transaction are applied once.
//
// A shard without a checkpoint is read from its oldest record. Records that the stream has trimmed (after 24 hours) are
// skipped and counted in gaps(); after that, only `trestle design verify --repair` corrects the tallies.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/callers/stream_shards.h"
#include "model/database.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

struct StreamBatch {
  std::string shard;     // the checkpoint's SK
  ShardPosition stored;  // the checkpoint in the journal
  ShardPosition end;     // the position after all these records
  size_t unstored = 0;   // records processed since the last checkpoint
  std::vector<StreamRecord> records;
};

struct StreamPlace {
  std::string design;
  std::string consumer;  // empty: the tallies
  std::string table;
};

class StreamReader {
 public:
  StreamReader(Database& database, StreamPlace place)
      : database_(database), place_(std::move(place)), shards_(database, place_.table) {}

  // Processes a batch. True: its end has been stored in the journal. False: not yet; a shard's children are not read
  // until it is.
  using Apply = std::function<Outcome<bool>(const StreamBatch& batch)>;
  // Reads once from every shard that may be read; returns the number of records. After a failure, everything after the
  // checkpoints in the journal is read again.
  Outcome<size_t> poll(const Apply& apply, int64_t now_ms);
  // Notes that a checkpoint() that the caller wrote has been stored.
  void note_stored(const std::string& shard, const ShardPosition& position);
  // Discards the cached checkpoints; they are read again from the journal.
  void forget();

  // The write that moves a shard's checkpoint to `to`, on condition that it is still `from`.
  TransactWrite checkpoint(const std::string& shard, const ShardPosition& from, const ShardPosition& to) const;
  Outcome<void> store(const std::string& shard, const ShardPosition& from, const ShardPosition& to);

  // Whether the last poll() found every shard read to its end.
  bool is_drained() const { return drained_; }
  // How old the oldest record of the last poll() was; 0 if there was none.
  int64_t lag_ms() const { return lag_ms_; }
  uint64_t gaps() const { return shards_.gaps(); }

 private:
  Outcome<void> refresh(int64_t now_ms);
  Outcome<void> read_checkpoints();
  Outcome<void> drop_old_checkpoints();
  std::string partition() const;

  Database& database_;
  const StreamPlace place_;
  StreamShards shards_;  // named by the SK of their checkpoints
  bool known_ = false;
  int64_t refreshed_ms_ = 0;
  bool drained_ = false;
  int64_t lag_ms_ = 0;
};

}  // namespace trestle::runtime
