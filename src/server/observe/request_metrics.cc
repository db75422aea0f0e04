#include "server/observe/request_metrics.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <unordered_set>

#include <fmt/format.h>

#include "base/thread_number.h"
#include "server/observe/metrics_text.h"

namespace trestle {
namespace {

constexpr std::string_view kOther = "other";

void add(std::atomic<uint64_t>& figure, uint64_t value) { figure.fetch_add(value, std::memory_order_relaxed); }

}  // namespace

RequestMetrics::User::User(std::array<Users, kCells>& users) : count_(users[thread_number() % kCells].count) {
  count_.fetch_add(1);
}

RequestMetrics::RequestMetrics() : slots_(std::make_unique<std::array<std::atomic<Series*>, kSlots>>()) {}
RequestMetrics::~RequestMetrics() = default;

size_t RequestMetrics::first_slot(char kind, std::string_view operation, std::string_view label) {
  const std::hash<std::string_view> hash;
  return hash(operation) * 31 + hash(label) * 7 + static_cast<size_t>(kind);
}

RequestMetrics::Series* RequestMetrics::find(char kind, std::string_view operation, std::string_view label) const {
  for (size_t slot = first_slot(kind, operation, label), seen = 0; seen < kSlots; ++slot, ++seen) {
    Series* series = (*slots_)[slot % kSlots].load();
    if (series == nullptr) return nullptr;
    if (series->kind == kind && series->operation == operation && series->label == label) return series;
  }
  return nullptr;
}

RequestMetrics::Series* RequestMetrics::find_or_add(char kind, std::string_view operation, std::string_view label) {
  if (Series* series = find(kind, operation, label)) return series;
  MutexLock lock(mutex_);
  if (Series* series = find(kind, operation, label)) return series;
  if (all_.size() >= kSeriesMax && label != kOther) return nullptr;
  auto series = std::make_unique<Series>();
  series->kind = kind;
  series->operation = operation;
  series->label = label;
  size_t slot = first_slot(kind, operation, label);
  while (Series* occupant = (*slots_)[slot % kSlots].load(std::memory_order_relaxed)) {
    if (occupant == tombstone()) break;
    ++slot;
  }
  (*slots_)[slot % kSlots].store(series.get());
  all_.push_back(std::move(series));
  return all_.back().get();
}

void RequestMetrics::keep_tables(const std::function<bool(std::string_view table)>& exists) {
  MutexLock lock(mutex_);
  const auto is_gone = [&](const std::unique_ptr<Series>& series) {
    return series->kind == 'r' && !series->label.empty() && series->label != kOther && !exists(series->label);
  };
  const auto first_deleted =
      std::partition(all_.begin(), all_.end(), [&](const auto& series) { return !is_gone(series); });
  if (first_deleted != all_.end()) {
    Retired& retired = retired_.emplace_back();
    retired.series.assign(std::make_move_iterator(first_deleted), std::make_move_iterator(all_.end()));
    all_.erase(first_deleted, all_.end());
    empty_slots_of(retired.series);
    retired.may_be_used.set();
  }
  free_unused();
}

void RequestMetrics::empty_slots_of(const std::vector<std::unique_ptr<Series>>& deleted) {
  std::unordered_set<const Series*> pointers;
  for (const auto& series : deleted) pointers.insert(series.get());
  for (auto& slot : *slots_) {
    if (pointers.contains(slot.load(std::memory_order_relaxed))) slot.store(tombstone());
  }
  // Clears tombstones that precede an empty slot: they are not needed and would make searches longer.
  for (size_t i = 2 * kSlots; i-- > 0;) {
    auto& slot = (*slots_)[i % kSlots];
    if (slot.load() == tombstone() && (*slots_)[(i + 1) % kSlots].load() == nullptr) slot.store(nullptr);
  }
}

// A series that is in no slot can no longer be found. This does not wait for readers: a series still in use is freed by
// a later call.
void RequestMetrics::free_unused() {
  for (Retired& retired : retired_) {
    for (size_t cell = 0; cell < kCells; ++cell) {
      if (users_[cell].count.load() == 0) retired.may_be_used.reset(cell);
    }
  }
  std::erase_if(retired_, [](const Retired& retired) { return retired.may_be_used.none(); });
}

// The tombstone of a freed series: it has kind 0, so that no search matches it, and keeps its slot occupied, so that
// series after it are still found.
RequestMetrics::Series* RequestMetrics::tombstone() {
  static Series mark{};
  return &mark;
}

void RequestMetrics::record(const RequestOutcome& outcome) {
  const User user(users_);
  count(outcome);
}

void RequestMetrics::count(const RequestOutcome& outcome) {
  const bool succeeded = outcome.error.empty();
  Series* series =
      succeeded ? find_or_add('r', outcome.operation, outcome.table) : find('r', outcome.operation, outcome.table);
  if (series == nullptr) series = find_or_add('r', outcome.operation, kOther);
  Cell& cell = series->cells[thread_number() % kCells];
  const auto bound = std::lower_bound(kBoundsUs.begin(), kBoundsUs.end(), outcome.latency_us);
  add(cell.buckets[static_cast<size_t>(bound - kBoundsUs.begin())], 1);
  add(cell.latency_us, static_cast<uint64_t>(outcome.latency_us));
  add(cell.request_bytes, outcome.request_bytes);
  add(cell.reply_bytes, outcome.reply_bytes);
  if (succeeded) return;
  Series* errors = find_or_add('e', outcome.operation, outcome.error);
  if (errors == nullptr) errors = find_or_add('e', outcome.operation, kOther);
  add(errors->cells[thread_number() % kCells].buckets[0], 1);
}

uint64_t RequestMetrics::sum(const Series& series, std::atomic<uint64_t> Cell::* figure) {
  uint64_t total = 0;
  for (const Cell& cell : series.cells) total += (cell.*figure).load(std::memory_order_relaxed);
  return total;
}

std::vector<const RequestMetrics::Series*> RequestMetrics::sorted(char kind) const {
  std::vector<const Series*> found;
  {
    MutexLock lock(mutex_);
    for (const auto& series : all_) {
      if (series->kind == kind) found.push_back(series.get());
    }
  }
  std::ranges::sort(found, [](const Series* a, const Series* b) {
    return std::tie(a->operation, a->label) < std::tie(b->operation, b->label);
  });
  return found;
}

void RequestMetrics::write(MetricsText& text) const {
  const User user(users_);
  const auto requests = sorted('r');
  text.family("trestle_request_duration_seconds", "histogram", "Time from a complete request to its reply");
  for (const Series* series : requests) {
    const MetricsText::Labels labels = {{"operation", series->operation}, {"table", series->label}};
    uint64_t count = 0;
    for (size_t i = 0; i <= kBoundsUs.size(); ++i) {
      for (const Cell& cell : series->cells) count += cell.buckets[i].load(std::memory_order_relaxed);
      const std::string bound =
          i < kBoundsUs.size() ? fmt::format("{}", static_cast<double>(kBoundsUs[i]) / 1e6) : "+Inf";
      text.sample("trestle_request_duration_seconds_bucket",
                  {{"operation", series->operation}, {"table", series->label}, {"le", bound}},
                  static_cast<double>(count));
    }
    text.sample("trestle_request_duration_seconds_sum", labels,
                static_cast<double>(sum(*series, &Cell::latency_us)) / 1e6);
    text.sample("trestle_request_duration_seconds_count", labels, static_cast<double>(count));
  }
  const auto bytes = [&](std::string_view name, std::string_view help, std::atomic<uint64_t> Cell::* figure) {
    text.family(name, "counter", help);
    for (const Series* series : requests) {
      text.sample(name, {{"operation", series->operation}, {"table", series->label}},
                  static_cast<double>(sum(*series, figure)));
    }
  };
  bytes("trestle_request_bytes_total", "Bytes of request bodies", &Cell::request_bytes);
  bytes("trestle_reply_bytes_total", "Bytes of reply bodies, before compression", &Cell::reply_bytes);
  text.family("trestle_request_errors_total", "counter", "Requests that were refused or failed, by exception");
  for (const Series* series : sorted('e')) {
    uint64_t count = 0;
    for (const Cell& cell : series->cells) count += cell.buckets[0].load(std::memory_order_relaxed);
    text.sample("trestle_request_errors_total", {{"operation", series->operation}, {"type", series->label}},
                static_cast<double>(count));
  }
}

}  // namespace trestle
