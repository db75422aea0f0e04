// Contributor Insights: the keys of a table or global index that are most often read, written and throttled. Counts are
// kept in memory, in bounded space (engine/indexes/top_keys.h). They start when the setting is enabled or the program
// starts, and are discarded when it is disabled.
//
// Operations report every access to an item. Without the setting, this costs one check of the description of the table
// or index.
//
// Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "model/table.h"
#include "storage/lock_ranks.h"

namespace trestle {

enum class KeyEvent { kRead, kWrite, kThrottled };
inline constexpr size_t kKeyEvents = 3;

class KeyInsights {
 public:
  explicit KeyInsights(const Clock& clock);
  ~KeyInsights();
  KeyInsights(const KeyInsights&) = delete;
  KeyInsights& operator=(const KeyInsights&) = delete;

  // The counted subject: an item of the table, or of a global index. Accesses through a local index count for its
  // table.
  struct Subject {
    const TableDescription& table;
    const IndexDescription* index = nullptr;

    bool is_index() const { return index != nullptr && index->global; }
    const std::optional<InsightsSetting>& setting() const { return is_index() ? index->insights : table.insights; }
    const KeySchema& key() const { return is_index() ? index->key : table.key; }
    uint32_t keyspace() const { return is_index() ? index->keyspace : table.keyspace; }
  };

  // Counts the item and its partition; `item` has at least the key attributes.
  void note(const Subject& subject, KeyEvent event, ItemView item) {
    if (subject.setting()) [[unlikely]]
      count(subject, event, item, true, true);
  }
  // Counts the item but not its partition, for one of several items read from a partition.
  void note_item(const Subject& subject, KeyEvent event, ItemView item) {
    if (subject.setting()) [[unlikely]]
      count(subject, event, item, false, true);
  }
  // Counts the partition but no item. `hash` are the values of the partition key.
  void note_partition(const Subject& subject, KeyEvent event, std::span<const ValueView> hash);

  // Ends a call that must not wait (storage/cached_reads.h), on its thread. Its counts take effect only now, and only
  // if it did not miss: otherwise it is repeated.
  static void end_call();

  // Discards the counts of a keyspace whose setting was disabled, or that was deleted.
  void forget(uint32_t keyspace);

  struct KeyCount {
    Item key;
    uint64_t count = 0;
    uint64_t error = 0;  // the true count is at least count - error
  };
  struct EventCounts {
    uint64_t total = 0;
    std::vector<KeyCount> partitions;  // largest first
    std::vector<KeyCount> items;       // largest first; empty if the key has no sort key
  };
  struct Report {
    int64_t since_ms = 0;
    std::array<EventCounts, kKeyEvents> whole;   // since since_ms
    std::array<EventCounts, kKeyEvents> recent;  // of the last one to two minutes
  };
  // With up to `count` keys in each list. Absent if nothing was counted.
  std::optional<Report> report(uint32_t keyspace, size_t count) const;

 private:
  struct Keyspace;
  enum Depth : size_t { kPartition, kItem, kDepths };
  struct Waiting;
  static std::vector<Waiting>& waiting();
  static void add(const std::shared_ptr<Keyspace>& keyspace, KeyEvent event, Depth depth, std::string key,
                  int64_t now_ms);
  void count(const Subject& subject, KeyEvent event, ItemView item, bool partition, bool with_item);
  // Shared, because a request may still use it when its table is deleted.
  std::shared_ptr<Keyspace> keyspace_of(uint32_t keyspace);

  const Clock& clock_;
  mutable SharedMutex mutex_{kShortRank};  // guards the map
  std::unordered_map<uint32_t, std::shared_ptr<Keyspace>> keyspaces_;
};

}  // namespace trestle
