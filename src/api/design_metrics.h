// Metrics of designs' operations for /metrics: calls by design, operation and status, and latencies.
//
// All operations are known at startup, so record() needs no lookup and no lock. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace trestle {
class MetricsText;
}

namespace trestle::api {

class DesignMetrics {
 public:
  class Series {
   public:
    Series(std::string design, std::string operation) : design_(std::move(design)), operation_(std::move(operation)) {}
    void record(int status, int64_t latency_us);

   private:
    friend class DesignMetrics;
    static constexpr std::array<int64_t, 12> kBoundsUs = {100,    250,    500,     1'000,   2'500,     5'000,
                                                          10'000, 25'000, 100'000, 500'000, 2'500'000, 10'000'000};
    static constexpr size_t kStatuses = 600;

    const std::string design_, operation_;
    std::array<std::atomic<uint32_t>, kStatuses> by_status_{};
    std::array<std::atomic<uint64_t>, kBoundsUs.size() + 1> buckets_{};  // not cumulative; the last has no bound
    std::atomic<uint64_t> latency_us_{0};
  };

  // Call before any request. The returned reference stays valid.
  Series& add(std::string design, std::string operation);
  // Appends every family in Prometheus's text format.
  void write(MetricsText& text) const;

 private:
  std::deque<Series> series_;
};

}  // namespace trestle::api
