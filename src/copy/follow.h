// The second phase of a copy: applies the changes since the start of the scan, from the source's stream, until
// cut-over.
//
// Positions are recorded before the scan: shards already closed then are skipped, open ones are read from their start,
// which repeats up to four hours of changes. A change carries the whole item, put or deleted, so repeating changes is
// harmless once the newest is reached. Of several changes of an item in a page only the last is written. If the stream
// has no new images, the items are read from the source.
//
// A cut-over records the position of every shard at that moment and ends when all have been read up to there. It
// compares positions in the stream, never the clocks of two machines. Shards that begin later hold only later changes.
//
// If the stream trimmed records before they were read (after 24 hours), following fails, and only a new copy helps.
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

// The positions from which a table's stream must be followed if its scan begins after this. The table must have one.
Result<StreamState> note_stream(Database& source, const std::string& table, int64_t now_ms);

// One table's stream. Not thread-safe.
class Follower {
 public:
  // `table` is its place in the state. Parts must outlive it.
  Follower(const FollowParts& parts, size_t table);

  struct Round {
    size_t records = 0;
    bool drained = false;   // nothing was left to read
    bool over = false;      // the stream was disabled, and read to its end
    int64_t oldest_ms = 0;  // creation time of the oldest record; 0: there were none
  };
  // Reads once from every readable shard, and writes the changes to the target.
  Result<Round> round();

  // Notes where the stream is now.
  Result<void> mark();
  // Whether every change made before mark() is at the target. Call it after a round.
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
  std::vector<Mark> marks_;            // not yet reached
  std::set<std::string> had_nothing_;  // shards that the last round found nothing in
};

struct FollowOptions {
  bool cut_over = false;       // end once there was nothing new for quiet_ms
  int64_t lag_ms_max = 2'000;  // how far behind is caught up
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
// Follows the streams of all tables that have one in the state, until cut-over: by the option, or because somebody
// asked to stop once.
Result<void> follow_tables(const FollowParts& parts, const FollowOptions& options, Stop& stop,
                           const FollowCalls& calls);

}  // namespace trestle::copy
