// The second phase of a copy: applies the changes since the start of the scan, from the source's stream, until
// cut-over.
//
// Positions are recorded before the scan. Shards that are already closed then are skipped; open ones are read from
// their start, which repeats up to four hours of changes. A change contains the whole item, put or deleted, so repeated
// changes are harmless once the newest has been applied. If an item has several changes in a page, only the last is
// written. If the stream has no new images, the items are read from the source.
//
// A cut-over records the position of every shard at that moment, and ends when all shards have been read up to there.
// It compares positions in the stream, never the clocks of two machines. Shards that begin later contain only later
// changes.
//
// If the stream trimmed records before they were read (after 24 hours), following fails and a new copy is needed.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "base/clock.h"
#include "copy/state_file.h"
#include "copy/target_writer.h"

namespace trestle::copy {

struct FollowParts {
  Database& source;
  TargetWriter& writer;
  Pace& pace;
  StateFile& state;
  const Clock& clock;
  unsigned threads = 8;
};

// The positions from which a table's stream must be followed if its scan begins after this call. The table must have a
// stream.
Result<StreamState> note_stream(Database& source, const std::string& table, int64_t now_ms);

// One table's stream. Not thread-safe.
class Follower {
 public:
  // `table` is the index of the table in the state. `parts` must outlive this object.
  Follower(const FollowParts& parts, size_t table);

  struct Round {
    size_t records = 0;
    bool drained = false;   // there was nothing to read
    bool over = false;      // the stream has been disabled and was read to its end
    int64_t oldest_ms = 0;  // creation time of the oldest record; 0: there were none
  };
  // Reads once from every readable shard, and writes the changes to the target.
  Result<Round> round();

  // Marks the current end of the stream.
  Result<void> mark();
  // Whether every change made before mark() has been applied to the target. To be called after a round.
  Result<bool> has_reached_mark();

 private:
  // The end of a shard at the time of mark(): the position before the first later record.
  struct Mark {
    std::string shard;
    std::optional<std::string> iterator;  // absent: the shard is closed
    std::string first_later = {};         // sequence number; empty: no later record yet
  };
  Result<void> look_for_later_record(Mark& mark);
  using Pages = std::vector<std::optional<StreamShards::Page>>;

  Result<void> refresh();
  Result<Pages> read_pages(const std::vector<std::string>& names);
  Result<std::map<std::string, Item>> read_items(std::vector<Item> keys);
  Result<std::vector<BatchWrite>> writes_of(const Pages& pages);
  Result<void> write(std::vector<BatchWrite> writes);
  std::unexpected<Error> lost() const;

  const FollowParts& parts_;
  const size_t table_;
  std::string target_;
  int64_t followed_ms_ = 0;
  std::string label_;
  StreamShards shards_;
  int64_t refreshed_ms_ = 0;
  std::vector<Mark> marks_;             // not yet reached
  std::set<std::string> empty_shards_;  // shards in which the last round found no records
};

struct FollowOptions {
  bool cut_over = false;       // end when there has been no change for quiet_ms
  int64_t lag_ms_max = 2'000;  // the lag that counts as caught up
  int64_t quiet_ms = 3'000;
  int64_t poll_ms = 200;
};
struct FollowProgress {
  int64_t records = 0;  // in this run
  int64_t lag_ms = 0;
};
struct FollowCalls {
  std::function<void(const FollowProgress&)> tick;
  std::function<void(const std::string&)> say;
};
// Follows the streams of all tables that have one in the state, until cut-over: by the option, or at the first request
// to stop.
Result<void> follow_tables(const FollowParts& parts, const FollowOptions& options, Stop& stop,
                           const FollowCalls& calls);

}  // namespace trestle::copy
