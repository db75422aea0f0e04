#include "storage/buffer_trimmer.h"

#include <pthread.h>

#include <algorithm>

#include "base/check.h"

namespace trestle {

BufferTrimmer::BufferTrimmer(Buffers buffers) : buffers_(std::move(buffers)) {
  CHECK(buffers_.count <= kBuffersMax);
  for (auto& enough : enough_) enough.store(kPassedPerEntry * kEntriesMin, std::memory_order_relaxed);
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

uint64_t BufferTrimmer::passed() const {
  uint64_t sum = passed_before_.load(std::memory_order_relaxed);
  for (const auto& passed : passed_) sum += passed.load(std::memory_order_relaxed);
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
  bool wrote = false;
  for (;;) {
    {
      MutexLock lock(mutex_);
      const auto rested = std::chrono::steady_clock::now() + buffers_.pause;
      while (wrote && !stopping_ && std::chrono::steady_clock::now() < rested) {
        changed_.wait_for(mutex_, rested - std::chrono::steady_clock::now());
      }
      // Reports made while this is awake are ignored; there is always a next reader.
      awake_.store(false, std::memory_order_relaxed);
      while (!woken_ && !stopping_) changed_.wait(mutex_);
      if (stopping_) return;
      woken_ = false;
      awake_.store(true, std::memory_order_relaxed);
    }
    wrote = false;
    for (size_t buffer = 0; buffer < buffers_.count; ++buffer) wrote = look(buffer) || wrote;
  }
}

bool BufferTrimmer::is_worth_it(size_t buffer, uint64_t entries) const {
  if (entries < kEntriesMin) return false;
  const uint64_t superseded = superseded_[buffer].load(std::memory_order_relaxed);
  return passed_[buffer].load(std::memory_order_relaxed) >= kPassedPerEntry * entries ||
         (superseded >= kSupersededMin && superseded >= entries - entries / 4);
}

bool BufferTrimmer::look(size_t buffer) {
  const uint64_t entries = buffers_.entries(buffer);
  // Fewer than last time: a full buffer was flushed meanwhile, and its count does not apply to the new one.
  if (entries < entries_seen_[buffer]) superseded_[buffer].store(0, std::memory_order_relaxed);
  const bool worth = is_worth_it(buffer, entries);
  if (worth) {
    buffers_.write_out(buffer);
    written_out_.fetch_add(1, std::memory_order_relaxed);
    superseded_[buffer].store(0, std::memory_order_relaxed);
  }
  entries_seen_[buffer] = worth ? 0 : entries;
  const uint64_t enough = kPassedPerEntry * std::max(entries_seen_[buffer], kEntriesMin);
  if (worth || passed_[buffer].load(std::memory_order_relaxed) >= enough) {
    passed_before_.fetch_add(passed_[buffer].exchange(0, std::memory_order_relaxed), std::memory_order_relaxed);
  }
  enough_[buffer].store(enough, std::memory_order_relaxed);
  return worth;
}

}  // namespace trestle
