#include "api/design_metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/observe/metrics_text.h"

namespace trestle::api {

void DesignMetrics::Series::record(int status, int64_t latency_us) {
  const size_t at = status > 0 && static_cast<size_t>(status) < kStatuses ? static_cast<size_t>(status) : 0;
  by_status_[at].fetch_add(1, std::memory_order_relaxed);
  const auto bound = std::lower_bound(kBoundsUs.begin(), kBoundsUs.end(), latency_us);
  buckets_[static_cast<size_t>(bound - kBoundsUs.begin())].fetch_add(1, std::memory_order_relaxed);
  latency_us_.fetch_add(static_cast<uint64_t>(latency_us), std::memory_order_relaxed);
}

DesignMetrics::Series& DesignMetrics::add(std::string design, std::string operation) {
  return series_.emplace_back(std::move(design), std::move(operation));
}

void DesignMetrics::write(MetricsText& text) const {
  text.family("trestle_design_requests_total", "counter", "Calls of designs' operations, by status");
  for (const Series& series : series_) {
    for (size_t status = 0; status < Series::kStatuses; ++status) {
      const uint32_t count = series.by_status_[status].load(std::memory_order_relaxed);
      if (count == 0) continue;
      text.sample("trestle_design_requests_total",
                  {{"design", series.design_}, {"operation", series.operation_}, {"status", std::to_string(status)}},
                  count);
    }
  }
  constexpr std::string_view kName = "trestle_design_request_duration_seconds";
  text.family(kName, "histogram", "Time from a complete request to its reply");
  for (const Series& series : series_) {
    uint64_t total = 0;
    for (const auto& bucket : series.buckets_) total += bucket.load(std::memory_order_relaxed);
    if (total == 0) continue;  // hundreds of unused operations would hide the others
    uint64_t count = 0;
    for (size_t i = 0; i < series.buckets_.size(); ++i) {
      count += series.buckets_[i].load(std::memory_order_relaxed);
      const std::string bound =
          i < Series::kBoundsUs.size() ? fmt::format("{}", static_cast<double>(Series::kBoundsUs[i]) / 1e6) : "+Inf";
      text.sample(fmt::format("{}_bucket", kName),
                  {{"design", series.design_}, {"operation", series.operation_}, {"le", bound}},
                  static_cast<double>(count));
    }
    const MetricsText::Labels labels = {{"design", series.design_}, {"operation", series.operation_}};
    text.sample(fmt::format("{}_sum", kName), labels,
                static_cast<double>(series.latency_us_.load(std::memory_order_relaxed)) / 1e6);
    text.sample(fmt::format("{}_count", kName), labels, static_cast<double>(count));
  }
}

}  // namespace trestle::api
