// Recovery of the store after a disk failure. docs/decisions/0015-fault-simulation.md describes how RocksDB behaves
// then.
#include <chrono>

#include "storage/store_impl.h"

namespace trestle {
namespace {

using std::chrono::steady_clock;

constexpr auto kPollInterval = std::chrono::milliseconds(1);
constexpr auto kFlushMax = std::chrono::seconds(10);

}  // namespace

void ErrorListener::set_handler(std::function<void(const rocksdb::Status&)> handler) {
  MutexLock lock(mutex_);
  handler_ = std::move(handler);
}

// RocksDB treats most disk errors as fatal. The store lowers their severity, because it can continue as soon as the
// disk works again: it then flushes all write buffers. A failed compaction changes nothing, and RocksDB retries it by
// itself.
void ErrorListener::OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) {
  using Severity = rocksdb::Status::Severity;
  if (!error->IsIOError()) return;
  const Severity most =
      reason == rocksdb::BackgroundErrorReason::kCompaction ? Severity::kSoftError : Severity::kHardError;
  if (error->severity() > most) *error = rocksdb::Status(*error, most);
  if (error->severity() < Severity::kHardError) return;
  MutexLock lock(mutex_);
  if (handler_) handler_(*error);
}

// Prevents RocksDB from resuming by itself, which could happen while commits are still in progress.
void ErrorListener::OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status error, bool* automatic) {
  error.PermitUncheckedError();
  *automatic = false;
}

Result<void> Store::Impl::sync_log() {
  if (options.in_memory) return {};
  if (buffers_log()) TRY(result_of(db->FlushWAL(false)));
  return result_of(log_files->sync());
}

// After a failed write to a log, another write to it would abort the program with an assertion in RocksDB. So the
// DurabilityTracker calls this when no commit is in progress, and accepts commits only after a new log has begun.
Result<void> Store::Impl::recover() {
  recovering.store(true, std::memory_order_release);
  rocksdb::Status status;
  // Up to two attempts: if all buffers were empty, RocksDB has resumed with its old log, and reports that log's error
  // only when it begins a new one.
  for (int attempt = 0; attempt < 2; ++attempt) {
    status = db->Resume();
    if (status.ok()) status = flush_all_spaces();
    if (status.ok()) break;
  }
  recovering.store(false, std::memory_order_release);
  TRY(result_of(status));
  if (log_files) log_files->forget_older();
  return sync_log();
}

rocksdb::Status Store::Impl::flush_all_spaces() {
  // RocksDB begins a new log only if there is something to flush.
  rocksdb::WriteOptions unlogged;
  unlogged.disableWAL = true;
  rocksdb::Status status = db->Put(unlogged, space(Space::kCatalog), "r", run);
  if (!status.ok()) return status;
  const uint64_t errors_before = background_errors();
  rocksdb::FlushOptions flush;
  flush.allow_write_stall = true;
  status = db->Flush(flush, {spaces.begin(), spaces.end()});
  // After resuming from an error, RocksDB 7.8.3 returns from Flush() without waiting.
  if (status.ok()) status = wait_while([this] { return is_flushing(); }, errors_before);
  return status;
}

rocksdb::Status Store::Impl::flush_space(Space which) {
  rocksdb::ColumnFamilyHandle* const handle = space(which);
  rocksdb::FlushOptions flush;
  flush.allow_write_stall = true;  // otherwise RocksDB delays the flush, and there is more to write
  flush.wait = false;
  uint64_t errors_before = 0;
  {
    const LogGate::Closed no_write_in_progress(log_gate);
    if (durability->failed()) return rocksdb::Status::IOError("the store is recovering from an earlier failure");
    errors_before = background_errors();
    const rocksdb::Status begun = db->Flush(flush, handle);
    if (!begun.ok()) return begun;
  }
  return wait_while([&] { return has_full_buffer(handle); }, errors_before);
}

rocksdb::Status Store::Impl::wait_while(const std::function<bool()>& is_flushing, uint64_t errors_before) const {
  while (is_flushing()) {
    if (closing.load(std::memory_order_acquire)) return rocksdb::Status::ShutdownInProgress();
    if (background_errors() != errors_before) return rocksdb::Status::IOError("a write buffer could not be flushed");
    std::this_thread::sleep_for(kPollInterval);
  }
  return rocksdb::Status::OK();
}

bool Store::Impl::hides_log_failure() {
  if (closing.load(std::memory_order_acquire)) return true;  // the store is closing: no recovery will follow
  if (recovering.load(std::memory_order_acquire))
    return true;  // recovery flushes all buffers, so this log is not needed
  durability->report_failure(error_of(rocksdb::Status::IOError("a write to the log has failed")));
  // Relaxed durability: the commits are visible already, and RocksDB would drop those still in its log buffer.
  if (buffers_log()) return true;
  // When RocksDB encounters an error, it drops flushes that are requested but not started, and Resume() would wait for
  // them forever. So wait until no flush is pending; none can be requested while a write to the log is in progress.
  const uint64_t errors_before = background_errors();
  const auto deadline = steady_clock::now() + kFlushMax;
  while (is_flushing() && !closing.load(std::memory_order_acquire) && background_errors() == errors_before &&
         steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kPollInterval);
  }
  return false;
}

bool Store::Impl::has_full_buffer(rocksdb::ColumnFamilyHandle* space) const {
  uint64_t count = 0;
  db->GetIntProperty(space, rocksdb::DB::Properties::kNumImmutableMemTable, &count);
  return count > 0;
}

bool Store::Impl::is_flushing() const {
  for (rocksdb::ColumnFamilyHandle* space : spaces) {
    if (has_full_buffer(space)) return true;
  }
  uint64_t running = 0;
  db->GetIntProperty(space(Space::kCatalog), rocksdb::DB::Properties::kNumRunningFlushes, &running);
  return running > 0;
}

uint64_t Store::Impl::background_errors() const {
  uint64_t count = 0;
  db->GetIntProperty(rocksdb::DB::Properties::kBackgroundErrors, &count);
  return count;
}

}  // namespace trestle
