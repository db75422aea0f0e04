// The progress of a copy as a JSON file, so that another run can continue it.
//
//   {"Format":1, "From":"http://...", "To":"aws:eu-central-1", "Tables":[
//     {"Source":"music", "Target":"music", "SourceId":"8b0c...", "TargetId":"41fe...", "StartedMs":1790000000000,
//      "Overwrites":true, "Removes":true, "Segments":[{"Done":true, "Items":2512, "Bytes":390211},
//                                                     {"Cursor":{"pk":{"S":"k"}}, "Items":1000, "Bytes":155000}],
//      "Stream":{"Label":"2026-...", "FollowedMs":1790000000000, "Records":12,
//                "Shards":{"music/2026-.../shardId-1":{"SequenceNumber":"49", "Ended":true}}}}]}
//
// A segment's cursor and a shard's sequence number advance only after everything before them is durable at the target.
// Repeating work is harmless, so the file may lag behind.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/callers/stream_shards.h"

namespace trestle::copy {

struct SegmentState {
  bool done = false;
  std::optional<Item> cursor = {};  // ExclusiveStartKey of the next page
  int64_t items = 0;
  int64_t bytes = 0;
  friend bool operator==(const SegmentState&, const SegmentState&) = default;
};

struct StreamState {
  std::string label;
  int64_t followed_ms = 0;  // all earlier changes have been applied to the target, or were seen by the scan
  int64_t records = 0;
  std::map<std::string, ShardPosition> shards = {};
  friend bool operator==(const StreamState&, const StreamState&) = default;
};

struct TableState {
  std::string source, target;        // names
  std::string source_id, target_id;  // distinguish tables of the same name
  int64_t started_ms = 0;
  bool overwrites = false;  // the target had items that this copy did not write
  bool removes = false;     // items that the source does not have must still be removed from the target
  std::vector<SegmentState> segments = {};
  std::optional<StreamState> stream = {};  // nothing: changes are not followed

  bool scanned() const {
    for (const SegmentState& segment : segments) {
      if (!segment.done) return false;
    }
    return true;
  }
  int64_t items() const {
    int64_t sum = 0;
    for (const SegmentState& segment : segments) sum += segment.items;
    return sum;
  }
  int64_t bytes() const {
    int64_t sum = 0;
    for (const SegmentState& segment : segments) sum += segment.bytes;
    return sum;
  }
  friend bool operator==(const TableState&, const TableState&) = default;
};

struct CopyState {
  std::string from, to;
  std::vector<TableState> tables = {};
  friend bool operator==(const CopyState&, const CopyState&) = default;
};

std::string state_text(const CopyState& state);
// Fails if the text is not the state of a copy.
Result<CopyState> read_state(std::string_view text);

}  // namespace trestle::copy
