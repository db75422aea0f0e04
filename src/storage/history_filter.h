// A compaction filter of Space::kHistory: drops the records that Store::set_history_cutoffs() declares unneeded.
// Internal to storage/store.cc. HistoryFilters is thread-safe.
#pragma once

#include <rocksdb/compaction_filter.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/mutex.h"
#include "storage/history_record.h"
#include "storage/lock_ranks.h"

namespace trestle {

// By history keyspace: records up to this time are dropped.
using Cutoffs = std::map<uint32_t, int64_t>;

class HistoryFilter final : public rocksdb::CompactionFilter {
 public:
  explicit HistoryFilter(std::shared_ptr<const Cutoffs> cutoffs) : cutoffs_(std::move(cutoffs)) {}
  const char* Name() const override { return "trestle.history"; }
  bool Filter(int /*level*/, const rocksdb::Slice& key, const rocksdb::Slice& value, std::string* /*new_value*/,
              bool* /*value_changed*/) const override {
    if (key.size() < sizeof(uint32_t)) return false;
    const auto cutoff = cutoffs_->find(load_u32_be(key.data()));
    if (cutoff == cutoffs_->end()) return false;
    const auto time_ms = history_time_ms({value.data(), value.size()});
    return time_ms && *time_ms <= cutoff->second;
  }

 private:
  const std::shared_ptr<const Cutoffs> cutoffs_;  // shared, because set() may replace them during a compaction
};

class HistoryFilters final : public rocksdb::CompactionFilterFactory {
 public:
  const char* Name() const override { return "trestle.history"; }
  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context& /*context*/) override {
    MutexLock lock(mutex_);
    return std::make_unique<HistoryFilter>(cutoffs_);
  }
  void set(Cutoffs cutoffs) {
    MutexLock lock(mutex_);
    cutoffs_ = std::make_shared<const Cutoffs>(std::move(cutoffs));
  }

 private:
  Mutex mutex_{kShortRank};
  std::shared_ptr<const Cutoffs> cutoffs_ GUARDED_BY(mutex_) = std::make_shared<const Cutoffs>();
};

}  // namespace trestle
