#include "storage/buffer_trimmer.h"

#include <pthread.h>

#include <algorithm>

#include "base/check.h"

namespace trestle {

BufferTrimmer::BufferTrimmer(Buffers buffers) : buffers_(std::move(buffers)) {
  CHECK(buffers_.count <= kBuffersMax);
  for (auto& threshold : thresholds_) threshold.store(kSkippedPerEntry * kEntriesMin, std::memory_order_relaxed);
  thread_ = std::thread([this] { run(); });
}

BufferTrimmer::~BufferTrimmer() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

uint64_t BufferTrimmer::skipped_entries() const {
  uint64_t sum = skipped_before_.load(std::memory_order_relaxed);
  for (const auto& skipped : skipped_) sum += skipped.load(std::memory_order_relaxed);
  return sum;
}

void BufferTrimmer::wake() {
  {
    MutexLock lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

void BufferTrimmer::run() {
  pthread_setname_np(pthread_self(), "trim");
  bool flushed = false;
  for (;;) {
    {
      MutexLock lock(mutex_);
      const auto pause_end = std::chrono::steady_clock::now() + buffers_.pause;
      while (flushed && !stopping_ && std::chrono::steady_clock::now() < pause_end) {
        changed_.wait_for(mutex_, pause_end - std::chrono::steady_clock::now());
      }
      // Skip reports that arrive while this thread is awake do not wake it again; a later report will.
      awake_.store(false, std::memory_order_relaxed);
      while (!woken_ && !stopping_) changed_.wait(mutex_);
      if (stopping_) return;
      woken_ = false;
      awake_.store(true, std::memory_order_relaxed);
    }
    flushed = false;
    for (size_t buffer = 0; buffer < buffers_.count; ++buffer) flushed = flush_if_worthwhile(buffer) || flushed;
  }
}

bool BufferTrimmer::is_worthwhile(size_t buffer, uint64_t entries) const {
  if (entries < kEntriesMin) return false;
  const uint64_t superseded = superseded_[buffer].load(std::memory_order_relaxed);
  return skipped_[buffer].load(std::memory_order_relaxed) >= kSkippedPerEntry * entries ||
         (superseded >= kSupersededMin && superseded >= entries - entries / 4);
}

bool BufferTrimmer::flush_if_worthwhile(size_t buffer) {
  const uint64_t entries = buffers_.entries(buffer);
  // Fewer entries than at the last check: a full buffer was flushed in between, and its count does not apply to the new
  // buffer.
  if (entries < entries_seen_[buffer]) superseded_[buffer].store(0, std::memory_order_relaxed);
  const bool flush = is_worthwhile(buffer, entries);
  if (flush) {
    buffers_.flush(buffer);
    early_flushes_.fetch_add(1, std::memory_order_relaxed);
    superseded_[buffer].store(0, std::memory_order_relaxed);
  }
  entries_seen_[buffer] = flush ? 0 : entries;
  const uint64_t threshold = kSkippedPerEntry * std::max(entries_seen_[buffer], kEntriesMin);
  if (flush || skipped_[buffer].load(std::memory_order_relaxed) >= threshold) {
    skipped_before_.fetch_add(skipped_[buffer].exchange(0, std::memory_order_relaxed), std::memory_order_relaxed);
  }
  thresholds_[buffer].store(threshold, std::memory_order_relaxed);
  return flush;
}

}  // namespace trestle
