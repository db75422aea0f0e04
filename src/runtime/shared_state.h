// State shared by all calls of a runtime. Internal to the files that run operations.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "base/mutex.h"
#include "runtime/items/shard_counts.h"
#include "runtime/items/stored_item.h"
#include "runtime/requests/prepared_plan.h"
#include "runtime/runtime.h"
#include "runtime/sending/operation_units.h"

namespace trestle::runtime {

// Caches shard counts for as long as the plan allows.
class ShardCountCache {
 public:
  struct Entry {
    std::shared_ptr<const ShardCounts> counts;
    uint64_t commit = 0;  // calls that use the counts must wait for this commit
    int64_t read_ms = 0;
  };
  // Nothing if there is no entry younger than `age_ms`.
  std::optional<Entry> find(const std::string& key, int64_t now_ms, int64_t age_ms) const;
  void put(const std::string& key, Entry entry);

 private:
  mutable Mutex mutex_;
  std::unordered_map<std::string, Entry> entries_ GUARDED_BY(mutex_);
};

// The cascades running in this process; resume() skips them.
class RunningJobs {
 public:
  void add(const std::string& job);
  void remove(const std::string& job);
  bool contains(const std::string& job) const;

 private:
  mutable Mutex mutex_;
  std::set<std::string> jobs_ GUARDED_BY(mutex_);
};

struct SharedState {
  SharedState(const design::Design& the_design, Database& the_database, RuntimeOptions the_options)
      : design(the_design),
        database(the_database),
        options(the_options),
        codec(the_design, the_options.keys, the_options.blobs),
        units(the_design),
        opened_ms(now_ms()) {}

  const design::Design& design;
  Database& database;
  RuntimeOptions options;
  ItemCodec codec;
  SystemClock system_clock;
  ShardCountCache shard_counts;
  RunningJobs jobs;
  OperationUnits units;
  std::atomic<int64_t> newest_id_ms = -1;  // the newest time in ids of items whose shard depends on that time
  const int64_t opened_ms;  // an embedded Database has one process, so unfinished calls that began earlier are dead

  int64_t now_ms() const { return options.clock != nullptr ? options.clock->now_ms() : system_clock.now_ms(); }
};

}  // namespace trestle::runtime
