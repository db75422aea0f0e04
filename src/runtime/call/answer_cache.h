// Caches the answers of reads with `cache`, for as long as the design says, but not beyond the expiry of an item in
// them.
//
// When a write through the same runtime ends, the answers that read one of the entities it writes are dropped, so that
// callers read their own writes. The answer of a read that overlapped such a write is not cached. Writes of other
// programs, and figures updated through the stream, become visible when the cached answer expires. Bounded by entries
// and bytes. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "runtime/runtime.h"

namespace trestle::runtime {

// The entities whose items the plan's requests read or write. Nothing: unknown, possibly all.
using EntityNames = std::set<const design::Entity*>;
std::optional<EntityNames> entities_of(const design::Design& design, const design::Plan& plan);

class AnswerCache {
 public:
  // The cache key of a call: operation, inputs, list options and caller.
  static std::string key_of(const design::Operation& operation, const Plain& inputs, const ListOptions& list,
                            const CallContext& context);

  // The answer with its age, and the commit that it depends on.
  struct Found {
    CallReply reply;
    uint64_t commit = 0;
  };
  std::optional<Found> find(const std::string& key, int64_t age_max_s, int64_t now_ms);
  // The number of writes so far to the entities that are read. Get it before the read and pass it to put(), which does
  // nothing if it has changed.
  uint64_t generation(const std::optional<EntityNames>& reads) const;
  void put(const std::string& key, const std::optional<EntityNames>& reads, uint64_t generation, CallReply reply,
           uint64_t commit, int64_t now_ms);
  void forget(const std::optional<EntityNames>& written);

 private:
  struct Entry {
    CallReply reply;
    uint64_t commit = 0;
    int64_t stored_ms = 0;
    size_t bytes = 0;
    std::optional<EntityNames> reads;
  };
  uint64_t generation_locked(const std::optional<EntityNames>& reads) const REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::unordered_map<std::string, Entry> entries_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  uint64_t unknown_writes_ GUARDED_BY(mutex_) = 0;  // writes whose entities are unknown
  std::map<const design::Entity*, uint64_t> writes_ GUARDED_BY(mutex_);
};

}  // namespace trestle::runtime
