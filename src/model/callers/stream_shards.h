// The shards of a table's stream from the point of view of a consumer: which shards exist, their parents, and the
// position reached in each.
//
//   StreamShards shards(database, "music");
//   for (each checkpoint) shards.resume(name, position);           // where an earlier run stopped
//   TRY(shards.list());                                            // repeat from time to time: shards come and go
//   for (const std::string& name : shards.readable()) {
//     TRY_INTO(const auto page, shards.read(name));                // absent: no new records
//     ... act on page->records, write page->end as the checkpoint ...
//     shards.note_read(name, page->end, page->records.size());
//     shards.note_stored(name, page->end);
//   }
//
// A shard is named "<table>/<stream label>/<shard id>". It becomes readable once its parent's end has been stored, so
// the records of an item are read in order, even across shards. A shard without a position is read from its oldest
// record. Records that the stream has already trimmed are skipped and counted in gaps().
//
// The consumer stores the positions. Records that were read but could not be processed are read again only after
// clear() and resume(). Threads may call read() for different shards concurrently, but must not call other methods at
// the same time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/database.h"

namespace trestle {

struct ShardPosition {
  std::string sequence_number;  // of the last processed record; empty: none
  bool ended = false;           // the shard is closed and fully processed
  friend bool operator==(const ShardPosition&, const ShardPosition&) = default;
};

class StreamShards {
 public:
  struct Shard {
    std::string id = {}, parent = {};
    ShardPosition read = {}, stored = {};
    std::optional<std::string> iterator = {};
    size_t unstored = 0;  // records read since the last note_stored()
    uint64_t gaps = 0;
    bool listed = false;  // the stream still has the shard
    bool open = true;     // more records may follow
  };
  struct Page {
    std::vector<StreamRecord> records;
    ShardPosition end;  // the position after all of these records have been processed
    StreamViewType view_type = StreamViewType::kKeysOnly;
  };

  StreamShards(Database& database, std::string table) : database_(&database), table_(std::move(table)) {}

  const std::string& table() const { return table_; }
  const std::string& label() const { return label_; }
  // Whether the last list() found the stream enabled. A disabled stream receives no more records.
  bool enabled() const { return enabled_; }
  const std::map<std::string, Shard>& all() const { return shards_; }
  const Shard& operator[](const std::string& name) const { return shards_.at(name); }

  // Forgets all shards and positions.
  void clear();
  void resume(const std::string& name, const ShardPosition& position);
  // Lists the shards of the table's newest stream. Fails if the table never had a stream.
  Result<void> list();
  // Known shards that the last list() did not find.
  std::vector<std::string> gone() const;
  void drop(const std::string& name);

  // Whether a shard has not been read to its end, but its parent has.
  bool may_read(const Shard& shard) const;
  // The names of those shards, in the order of their ids.
  std::vector<std::string> readable() const;
  // Whether every shard has been read to its end.
  bool all_ended() const;
  // The next records of a readable shard, or its end.
  Result<std::optional<Page>> read(const std::string& name);
  // An iterator that returns only records written after this call.
  Result<std::string> latest_iterator(const std::string& name);
  void note_read(const std::string& name, const ShardPosition& position, size_t records);
  void note_stored(const std::string& name, const ShardPosition& position);

  uint64_t gaps() const;

 private:
  Result<void> find_stream();
  Result<void> open(Shard& shard);
  std::string name_of(const std::string& id) const;

  Database* database_;
  std::string table_, arn_, label_;
  std::map<std::string, Shard> shards_;  // by name; ids increase with time
  bool enabled_ = true;
  uint64_t dropped_gaps_ = 0;
};

}  // namespace trestle
