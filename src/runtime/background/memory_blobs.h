// Blobs in memory, for rehearsals and tests. Threads may share it.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/mutex.h"
#include "runtime/background/blob_store.h"

namespace trestle::runtime {

class MemoryBlobs final : public BlobStore {
 public:
  Outcome<void> put(std::string_view name, std::string_view bytes) override {
    const MutexLock lock(mutex_);
    blobs_[std::string(name)] = bytes;
    return {};
  }
  Outcome<std::string> get(std::string_view name) override {
    const MutexLock lock(mutex_);
    const auto found = blobs_.find(std::string(name));
    if (found == blobs_.end()) return refuse(500, "no such blob");
    return found->second;
  }
  Outcome<void> erase(std::string_view name) override {
    const MutexLock lock(mutex_);
    blobs_.erase(std::string(name));
    return {};
  }
  Outcome<void> each(std::string_view prefix,
                     const std::function<void(std::string_view name, int64_t age_ms)>& visit) override {
    const MutexLock lock(mutex_);
    for (const auto& [name, bytes] : blobs_) {
      if (name.starts_with(prefix)) visit(name, 0);
    }
    return {};
  }
  size_t size() const {
    const MutexLock lock(mutex_);
    return blobs_.size();
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::string> blobs_ GUARDED_BY(mutex_);
};

}  // namespace trestle::runtime
