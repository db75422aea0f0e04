#include "engine/jobs/unsynced_work.h"

#include <algorithm>
#include <chrono>

namespace trestle {
namespace {

constexpr std::chrono::milliseconds kPatience{5};
constexpr size_t kIdleUnsyncedBytesMax = size_t{256} << 10;
constexpr size_t kBusyUnsyncedBytesMax = size_t{32} << 10;  // a reader waits only if it meets a change

}  // namespace

Result<void> UnsyncedWork::wait(Store& store, JobRun& run) {
  if (!waits_) return {};
  TRY(is_patient_ ? store.wait_durable_patiently(last_, kPatience) : store.wait_durable(last_));
  waits_ = false;
  run.begin_work();
  return {};
}

void UnsyncedWork::add(Store& store, uint64_t commit, size_t bytes, const JobRun& run) {
  last_ = std::max(last_, commit);  // a commit of nothing is 0
  bytes_ += bytes;
  // Writers use little processor time, for which is_busy() looks, because they wait for the disk.
  const size_t bytes_max = run.is_busy() ? kBusyUnsyncedBytesMax : kIdleUnsyncedBytesMax;
  is_patient_ = store.has_waiters();
  if (bytes_ <= bytes_max && !is_patient_) return;
  bytes_ = 0;
  waits_ = true;
  if (!is_patient_) store.when_durable(last_, [](Result<void>) {});  // starts the sync; wait() sees its outcome
}

}  // namespace trestle
