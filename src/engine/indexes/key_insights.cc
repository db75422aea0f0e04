#include "engine/indexes/key_insights.h"

#include <algorithm>
#include <mutex>

#include "base/mutex.h"
#include "engine/indexes/top_keys.h"
#include "storage/cached_reads.h"

namespace trestle {
namespace {

// To reduce contention, counters are spread over a few parts, by the hash of their key.
constexpr size_t kParts = 4;
constexpr size_t kKeysPerPart = 128;
constexpr int64_t kWindowMs = 60'000;

// The key attributes of an item, packed. Sketches count these, and reports show them.
std::string key_bytes(const KeySchema& key, bool with_range, ItemView item) {
  std::vector<Field> fields;
  fields.reserve(key.hash.size() + key.range.size());
  const auto add = [&](const std::vector<KeyAttribute>& attributes) {
    for (const KeyAttribute& attribute : attributes) {
      if (const auto value = item.find(attribute.name)) fields.push_back({attribute.name, *value});
    }
  };
  add(key.hash);
  if (with_range) add(key.range);
  return Item(std::move(fields)).bytes();
}

bool counts_event(const InsightsSetting& setting, KeyEvent event) {
  if (!setting.enabled) return false;
  return event == KeyEvent::kThrottled || setting.mode == InsightsMode::kAccessedAndThrottledKeys;
}

std::vector<KeyInsights::KeyCount> largest(std::vector<TopKeys::Entry> entries, size_t count) {
  const auto larger = [](const TopKeys::Entry& a, const TopKeys::Entry& b) {
    return a.count != b.count ? a.count > b.count : a.key < b.key;
  };
  std::ranges::sort(entries, larger);
  if (entries.size() > count) entries.resize(count);
  std::vector<KeyInsights::KeyCount> out;
  for (TopKeys::Entry& entry : entries) {
    out.push_back({.key = Item(std::move(entry.key)), .count = entry.count, .error = entry.error});
  }
  return out;
}

}  // namespace

struct KeyInsights::Keyspace {
  // Counts since since_ms, of the current minute, and of the previous minute.
  struct Part {
    Mutex mutex{kShortRank};
    TopKeys whole GUARDED_BY(mutex){kKeysPerPart};
    TopKeys current GUARDED_BY(mutex){kKeysPerPart};
    TopKeys previous GUARDED_BY(mutex){kKeysPerPart};
    int64_t window GUARDED_BY(mutex) = 0;

    void advance_to(int64_t now_window) REQUIRES(mutex) {
      if (now_window == window) return;
      previous = now_window == window + 1 ? std::move(current) : TopKeys(kKeysPerPart);
      current = TopKeys(kKeysPerPart);
      window = now_window;
    }
  };

  int64_t since_ms = 0;  // constant
  std::array<std::array<std::array<Part, kParts>, kDepths>, kKeyEvents> parts;

  void add(KeyEvent event, Depth depth, const std::string& key, int64_t now_ms) {
    Part& part = parts[static_cast<size_t>(event)][depth][std::hash<std::string>()(key) % kParts];
    MutexLock lock(part.mutex);
    part.advance_to(now_ms / kWindowMs);
    part.whole.add(key);
    part.current.add(key);
  }
};

// A count of a call that may still miss.
struct KeyInsights::Waiting {
  std::shared_ptr<Keyspace> keyspace;
  KeyEvent event = KeyEvent::kRead;
  Depth depth = kPartition;
  std::string key;
  int64_t now_ms = 0;
};

std::vector<KeyInsights::Waiting>& KeyInsights::waiting() {
  thread_local std::vector<Waiting> counts;
  return counts;
}

void KeyInsights::add(const std::shared_ptr<Keyspace>& keyspace, KeyEvent event, Depth depth, std::string key,
                      int64_t now_ms) {
  if (CachedReads::must_not_wait()) {
    waiting().push_back({keyspace, event, depth, std::move(key), now_ms});
  } else if (!CachedReads::missed()) {
    keyspace->add(event, depth, key, now_ms);
  }
}

void KeyInsights::end_call() {
  std::vector<Waiting>& counts = waiting();
  if (counts.empty()) [[likely]]
    return;
  for (const Waiting& count : counts) {
    if (!CachedReads::missed()) count.keyspace->add(count.event, count.depth, count.key, count.now_ms);
  }
  counts = {};
}

KeyInsights::KeyInsights(const Clock& clock) : clock_(clock) {}
KeyInsights::~KeyInsights() = default;

std::shared_ptr<KeyInsights::Keyspace> KeyInsights::keyspace_of(uint32_t keyspace) {
  {
    std::shared_lock lock(mutex_);
    if (const auto it = keyspaces_.find(keyspace); it != keyspaces_.end()) return it->second;
  }
  auto result = std::make_shared<Keyspace>();
  result->since_ms = clock_.now_ms();
  std::unique_lock lock(mutex_);
  return keyspaces_.try_emplace(keyspace, std::move(result)).first->second;
}

void KeyInsights::count(const Subject& subject, KeyEvent event, ItemView item, bool partition, bool with_item) {
  if (!counts_event(*subject.setting(), event)) return;
  const KeySchema& key = subject.key();
  const auto keyspace = keyspace_of(subject.keyspace());
  const int64_t now_ms = clock_.now_ms();
  if (partition) add(keyspace, event, kPartition, key_bytes(key, false, item), now_ms);
  if (with_item && !key.range.empty()) add(keyspace, event, kItem, key_bytes(key, true, item), now_ms);
}

void KeyInsights::note_partition(const Subject& subject, KeyEvent event, std::span<const ValueView> hash) {
  const KeySchema& key = subject.key();
  if (!subject.setting() || !counts_event(*subject.setting(), event) || hash.size() != key.hash.size()) return;
  std::vector<Field> fields;
  for (size_t i = 0; i < hash.size(); ++i) fields.push_back({key.hash[i].name, hash[i]});
  add(keyspace_of(subject.keyspace()), event, kPartition, Item(std::move(fields)).bytes(), clock_.now_ms());
}

void KeyInsights::forget(uint32_t keyspace) {
  std::unique_lock lock(mutex_);
  keyspaces_.erase(keyspace);
}

std::optional<KeyInsights::Report> KeyInsights::report(uint32_t keyspace, size_t count) const {
  std::shared_ptr<Keyspace> found;
  {
    std::shared_lock lock(mutex_);
    const auto it = keyspaces_.find(keyspace);
    if (it == keyspaces_.end()) return std::nullopt;
    found = it->second;
  }
  const int64_t window = clock_.now_ms() / kWindowMs;
  Report report;
  report.since_ms = found->since_ms;
  for (size_t event = 0; event < kKeyEvents; ++event) {
    for (const Depth depth : {kPartition, kItem}) {
      std::vector<TopKeys::Entry> whole;
      std::vector<TopKeys::Entry> recent;
      for (Keyspace::Part& part : found->parts[event][depth]) {
        MutexLock lock(part.mutex);
        part.advance_to(window);
        std::ranges::move(part.whole.top(count), std::back_inserter(whole));
        // A key is in one part only, so it suffices to add up its counts in the two windows.
        std::unordered_map<std::string, TopKeys::Entry> merged;
        for (const TopKeys* keys : {&part.previous, &part.current}) {
          for (TopKeys::Entry& entry : keys->top(kKeysPerPart)) {
            TopKeys::Entry& sum = merged.try_emplace(entry.key, TopKeys::Entry{.key = entry.key}).first->second;
            sum.count += entry.count;
            sum.error += entry.error;
          }
        }
        for (auto& [key, entry] : merged) recent.push_back(std::move(entry));
        if (depth == kPartition) {
          report.whole[event].total += part.whole.total();
          report.recent[event].total += part.previous.total() + part.current.total();
        }
      }
      auto& whole_list = depth == kPartition ? report.whole[event].partitions : report.whole[event].items;
      auto& recent_list = depth == kPartition ? report.recent[event].partitions : report.recent[event].items;
      whole_list = largest(std::move(whole), count);
      recent_list = largest(std::move(recent), count);
    }
  }
  return report;
}

}  // namespace trestle
