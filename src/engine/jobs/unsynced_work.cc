#include "engine/jobs/unsynced_work.h"

#include <algorithm>
#include <chrono>

namespace trestle {
namespace {

constexpr std::chrono::milliseconds kPatience{5};
constexpr size_t kIdleUnsyncedBytesMax = size_t{256} << 10;
constexpr size_t kBusyUnsyncedBytesMax = size_t{32} << 10;  // while other threads use the CPU

}  // namespace

Result<void> UnsyncedWork::wait(Store& store, JobRun& run) {
  if (!waits_) return {};
  TRY(is_patient_ ? store.wait_durable_patiently(last_, kPatience) : store.wait_durable(last_));
  waits_ = false;
  run.begin_work();
  return {};
}

void UnsyncedWork::add(Store& store, uint64_t commit, size_t bytes, const JobRun& run) {
  last_ = std::max(last_, commit);  // `commit` is 0 if nothing was written
  bytes_ += bytes;
  // is_busy() measures CPU time, and misses writers that wait for the disk; has_waiters() detects those.
  const size_t bytes_max = run.is_busy() ? kBusyUnsyncedBytesMax : kIdleUnsyncedBytesMax;
  is_patient_ = store.has_waiters();
  if (bytes_ <= bytes_max && !is_patient_) return;
  bytes_ = 0;
  waits_ = true;
  if (!is_patient_) store.when_durable(last_, [](const Result<void>&) {});  // starts the sync; wait() gets its outcome
}

}  // namespace trestle
