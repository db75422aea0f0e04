// The catalog of streams. Disabled streams, including those of deleted tables, remain until their last record is a day
// old.
//
// A stream's records are stored in slots (storage/stream_record.h). A shard is the part of a slot between two commits:
// a stream starts with one shard for each slot, and from time to time (roll()) every slot gets a new shard, the child
// of the previous one. The shards that begin together are a generation. Because shards are delimited by commit numbers,
// the number of a commit that is in progress while shards roll decides which shard it belongs to, whenever it finishes.
//
//   kCatalog keys: 's' stream u32 big endian -> stream     'S' -> next stream, u32 big endian
//   stream         := 01 (format), sized table name, sized table ARN, sized label, view type, slots u8,
//                     varint created ms, varint disabled ms (0: enabled), varint last commit (0: enabled),
//                     varint trimmed commit, varint count, hash attribute*, varint count, range attribute*,
//                     varint count, generation*, [sized resource policy, varint put ms]   (omitted without a policy)
//   attribute      := sized name, 'S' | 'N' | 'B'
//   generation     := varint first commit, varint started ms, varint parent's started ms (0: no parent)
//
// Invariants, so that a consumer that reads shard by shard neither misses nor repeats records:
// - A reader must call finished_commit(), then create its cursor, then look up the stream here. It then sees exactly
// the
//   shard's records up to the lesser of that commit and the shard's last commit.
// - Records up to trimmed_commit are deleted, or about to be; all later ones exist.
//
// Reads are thread-safe. The caller must serialize edits (storage/catalog/catalog.h does). These bytes are on disk:
// never change a code, only add one. Vectors: docs/formats.md, stream_catalog_test.cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "model/table.h"
#include "storage/lock_ranks.h"
#include "storage/store.h"

namespace trestle {

inline constexpr uint32_t kStreamSlots = 4;  // for new streams

struct ShardGeneration {
  uint64_t first_commit = 0;
  int64_t started_ms = 0;
  int64_t parent_started_ms = 0;  // 0: no parent
  friend bool operator==(const ShardGeneration&, const ShardGeneration&) = default;
};

// Counters of a stream since the program started, for metrics. Shared by all versions of the stream and by its table's
// writers.
struct StreamCounts {
  explicit StreamCounts(uint32_t slots) : next_commits(slots) {}
  std::atomic<uint64_t> written{0};  // records
  std::atomic<uint64_t> trimmed{0};  // records, approximately
  std::atomic<uint64_t> reads{0};    // GetRecords calls
  std::atomic<uint64_t> read{0};     // records returned by those calls
  // By slot: the next position of the most recent reader; 0: never read.
  std::vector<std::atomic<uint64_t>> next_commits;
};

struct Stream {
  uint32_t id = 0;  // never reused
  std::string table_name;
  std::string table_arn;
  std::string label;
  StreamViewType view_type = StreamViewType::kKeysOnly;
  uint32_t slots = kStreamSlots;
  int64_t created_ms = 0;
  int64_t disabled_ms = 0;      // 0: enabled
  uint64_t last_commit = 0;     // disabled streams: the last commit with records
  uint64_t trimmed_commit = 0;  // records up to this commit are deleted
  KeySchema key;
  std::vector<ShardGeneration> generations;  // oldest first, never empty
  std::string resource_policy;               // empty: none
  int64_t resource_policy_ms = 0;            // when the policy was put, which is its revision
  std::shared_ptr<StreamCounts> counts;      // not stored; never null in a stream from the catalog

  bool enabled() const { return disabled_ms == 0; }
  std::string arn() const { return table_arn + "/stream/" + label; }
  // Compares the stored fields.
  friend bool operator==(const Stream& a, const Stream& b);
};

std::string encode_stream(const Stream& stream);
Result<Stream> decode_stream(uint32_t id, std::string_view bytes);

class StreamCatalog {
 public:
  explicit StreamCatalog(Store& store) : store_(store) {}
  Result<void> load();

  // Returns null if there is no such stream.
  std::shared_ptr<const Stream> find(std::string_view arn) const;
  std::shared_ptr<const Stream> find(uint32_t id) const;
  std::vector<std::shared_ptr<const Stream>> streams() const;  // in order of ARN
  // The commit that a response about streams must wait for: the newest commit that changed a stream, or 0.
  uint64_t commit_seen() const { return commit_seen_.load(std::memory_order_acquire); }
  // The number of streams with a resource policy.
  int policies() const { return policies_.load(std::memory_order_relaxed); }

  // ---- Edits.

  // The changes of streams when a table changes from `before` to `after`, either of which may be null. plan() adds them
  // to the batch of that change, and publish() makes them visible after its commit. The caller must prevent writes to
  // the table between the two calls.
  using Plan = std::vector<Stream>;
  Plan plan(const TableDescription* before, const TableDescription* after, int64_t now_ms, Batch& batch);
  void publish(const Plan& plan, uint64_t commit);

  // Closes the shards of an enabled stream, and creates a child for each.
  Result<void> roll(uint32_t id, int64_t now_ms);
  // Deletes the records up to `commit`, and forgets the first `generations` generations, which have no later records.
  Result<void> trim(uint32_t id, uint64_t commit, size_t generations);
  // Replaces the resource policy; an empty one removes it.
  Result<void> set_policy(uint32_t id, const std::string& policy, int64_t put_ms);
  // Deletes a stream and all its records.
  Result<void> remove(uint32_t id);

 private:
  // Updates policies_ when `after` replaces `before`; either may be null.
  void count_policies(const Stream* before, const Stream* after);
  // Readers see the state before the edit or after it, never a partial edit.
  Result<void> edit(uint32_t id, const std::function<void(Stream&, Batch&)>& edit);

  Store& store_;
  uint32_t next_id_ = 1;  // used by edits only
  std::atomic<uint64_t> commit_seen_{0};
  std::atomic<int> policies_{0};

  mutable SharedMutex mutex_{kStreamCatalogRank};  // guards the two maps
  std::map<std::string, std::shared_ptr<const Stream>, std::less<>> by_arn_;
  std::map<uint32_t, std::shared_ptr<const Stream>> by_id_;
};

}  // namespace trestle
