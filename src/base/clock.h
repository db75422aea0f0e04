// The clock used by the rest of Trestle, so that tests can control time. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace trestle {

class Clock {
 public:
  virtual ~Clock() = default;
  // Milliseconds since 1970, UTC.
  virtual int64_t now_ms() const = 0;
};

class SystemClock final : public Clock {
 public:
  int64_t now_ms() const override {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  }
};

class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t start_ms) : now_ms_(start_ms) {}
  int64_t now_ms() const override { return now_ms_.load(); }
  void advance_ms(int64_t ms) { now_ms_.fetch_add(ms); }

 private:
  std::atomic<int64_t> now_ms_;
};

}  // namespace trestle
