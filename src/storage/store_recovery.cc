// Recovery of a store whose disk has failed: see docs/decisions/0015-fault-simulation.md for what RocksDB does then.
#include <chrono>

#include "storage/store_impl.h"

namespace trestle {
namespace {

using std::chrono::steady_clock;

constexpr auto kLookAgain = std::chrono::milliseconds(1);
constexpr auto kFlushMax = std::chrono::seconds(10);

}  // namespace

void ErrorListener::set_handler(std::function<void(const rocksdb::Status&)> handler) {
  MutexLock lock(mutex_);
  handler_ = std::move(handler);
}

// RocksDB regards most errors of the disk as final. All the store needs in order to go on is a disk that works again:
// it writes out all buffers then. A failed compaction changes nothing, and is tried again by RocksDB itself.
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

// RocksDB would resume while commits are still under way.
void ErrorListener::OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status error, bool* automatic) {
  error.PermitUncheckedError();
  *automatic = false;
}

Result<void> Store::Impl::sync_log() {
  if (options.in_memory) return {};
  if (buffers_log()) TRY(result_of(db->FlushWAL(false)));
  return result_of(log_files->sync());
}

// A log to which a write has failed must not be touched again: RocksDB stops the program, by an assertion. So
// the DurabilityTracker calls this when no commit is under way, and a new log is begun before it accepts any.
Result<void> Store::Impl::recover() {
  recovering.store(true, std::memory_order_release);
  rocksdb::Status status;
  // Twice: if all buffers were empty, RocksDB has resumed with its old log, and notices only when it begins a new one.
  for (int attempt = 0; attempt < 2; ++attempt) {
    status = db->Resume();
    if (status.ok()) status = write_out_everything();
    if (status.ok()) break;
  }
  recovering.store(false, std::memory_order_release);
  TRY(result_of(status));
  if (log_files) log_files->forget_older();
  return sync_log();
}

rocksdb::Status Store::Impl::write_out_everything() {
  // Something must be in a buffer, or no new log would be begun.
  rocksdb::WriteOptions unlogged;
  unlogged.disableWAL = true;
  rocksdb::Status status = db->Put(unlogged, space(Space::kCatalog), "r", run);
  if (!status.ok()) return status;
  const uint64_t errors_before = background_errors();
  rocksdb::FlushOptions flush;
  flush.allow_write_stall = true;
  status = db->Flush(flush, {spaces.begin(), spaces.end()});
  // Once it has resumed from an error, RocksDB 7.8.3 returns from Flush() without waiting.
  if (status.ok()) status = wait_while([this] { return is_flushing(); }, errors_before);
  return status;
}

rocksdb::Status Store::Impl::write_out(Space which) {
  rocksdb::ColumnFamilyHandle* const handle = space(which);
  rocksdb::FlushOptions flush;
  flush.allow_write_stall = true;  // rather than wait, which only makes more to write
  flush.wait = false;
  uint64_t errors_before = 0;
  {
    const LogGate::Closed no_write_is_under_way(log_gate);
    if (durability->failed()) return rocksdb::Status::IOError("the store recovers from an earlier failure");
    errors_before = background_errors();
    const rocksdb::Status begun = db->Flush(flush, handle);
    if (!begun.ok()) return begun;
  }
  return wait_while([&] { return has_full_buffer(handle); }, errors_before);
}

rocksdb::Status Store::Impl::wait_while(const std::function<bool()>& is_flushing, uint64_t errors_before) const {
  while (is_flushing()) {
    if (closing.load(std::memory_order_acquire)) return rocksdb::Status::ShutdownInProgress();
    if (background_errors() != errors_before) return rocksdb::Status::IOError("a write buffer cannot be written out");
    std::this_thread::sleep_for(kLookAgain);
  }
  return rocksdb::Status::OK();
}

bool Store::Impl::hides_log_failure() {
  if (closing.load(std::memory_order_acquire)) return true;  // nobody is left to recover
  if (recovering.load(std::memory_order_acquire))
    return true;  // all buffers are written out, and this log is not needed
  durability->report_failure(error_of(rocksdb::Status::IOError("a write to the log has failed")));
  // Relaxed: the commits in the log are visible already, and RocksDB would lose those that it buffers.
  if (buffers_log()) return true;
  // RocksDB loses a flush that was requested and has not begun when it meets an error. Resume() would wait for it for
  // ever. This waits until there is none; more cannot be requested while a write to the log is under way.
  const uint64_t errors_before = background_errors();
  const auto deadline = steady_clock::now() + kFlushMax;
  while (is_flushing() && !closing.load(std::memory_order_acquire) && background_errors() == errors_before &&
         steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kLookAgain);
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
