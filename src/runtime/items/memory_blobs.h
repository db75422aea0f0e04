// Blobs in memory, for rehearsals and tests. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/mutex.h"
#include "runtime/items/blob_store.h"

namespace trestle::runtime {

class MemoryBlobs final : public BlobStore {
 public:
  Outcome<void> put(std::string_view name, std::string_view bytes) override {
    const MutexLock lock(mutex_);
    blobs_[std::string(name)] = {.bytes = std::string(bytes), .written_ms = now_ms_};
    return {};
  }
  Outcome<std::string> get(std::string_view name) override {
    const MutexLock lock(mutex_);
    const auto found = blobs_.find(std::string(name));
    if (found == blobs_.end()) return refuse(500, "no such blob");
    return found->second.bytes;
  }
  Outcome<void> erase(std::string_view name) override {
    const MutexLock lock(mutex_);
    blobs_.erase(std::string(name));
    return {};
  }
  Outcome<void> each(std::string_view prefix,
                     const std::function<void(std::string_view name, int64_t age_ms)>& visit) override {
    const MutexLock lock(mutex_);
    for (const auto& [name, blob] : blobs_) {
      if (name.starts_with(prefix)) visit(name, now_ms_ - blob.written_ms);
    }
    return {};
  }
  // Makes all blobs older.
  void advance_ms(int64_t ms) {
    const MutexLock lock(mutex_);
    now_ms_ += ms;
  }
  size_t size() const {
    const MutexLock lock(mutex_);
    return blobs_.size();
  }

 private:
  struct Blob {
    std::string bytes;
    int64_t written_ms = 0;
  };
  mutable Mutex mutex_;
  std::map<std::string, Blob> blobs_ GUARDED_BY(mutex_);
  int64_t now_ms_ GUARDED_BY(mutex_) = 0;
};

}  // namespace trestle::runtime
