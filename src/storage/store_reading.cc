#include <rocksdb/iterator.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include <new>

#include "storage/cached_reads.h"
#include "storage/data_files.h"
#include "storage/hidden_count.h"
#include "storage/store_impl.h"

namespace trestle {

namespace {

// Turns off RocksDB's per-thread performance counters, which cost time.
void disable_perf_counters() {
  thread_local bool is_off = false;
  if (is_off) return;
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  is_off = true;
}

rocksdb::PinnableSlice* pinned(std::byte* handle) {
  return std::launder(reinterpret_cast<rocksdb::PinnableSlice*>(handle));
}
const rocksdb::PinnableSlice* pinned(const std::byte* handle) {
  return std::launder(reinterpret_cast<const rocksdb::PinnableSlice*>(handle));
}

class RocksSnapshot final : public Snapshot {
 public:
  explicit RocksSnapshot(rocksdb::DB* db) : db_(db), snapshot_(db->GetSnapshot()) {}
  ~RocksSnapshot() override { db_->ReleaseSnapshot(snapshot_); }
  const rocksdb::Snapshot* get() const { return snapshot_; }

 private:
  rocksdb::DB* db_;
  const rocksdb::Snapshot* snapshot_;
};

const rocksdb::Snapshot* rocks_snapshot(const Snapshot* snapshot) {
  return snapshot ? static_cast<const RocksSnapshot*>(snapshot)->get() : nullptr;
}

// The write buffer for which a cursor reports the hidden entries it skipped.
struct TrimmedBuffer {
  BufferTrimmer& trimmer;
  size_t number;
};

// If there are enough hidden entries to matter, a cursor skips some within this many steps.
constexpr uint64_t kCountedSteps = 16;

class RocksCursor final : public Cursor {
 public:
  RocksCursor(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* space, CursorOptions options,
              std::shared_ptr<const Snapshot> snapshot, TrimmedBuffer buffer)
      : options_(std::move(options)),
        snapshot_(std::move(snapshot)),
        buffer_(buffer),
        lower_(slice(options_.range.begin)),
        upper_(slice(options_.range.end)) {
    rocksdb::ReadOptions read;
    read.snapshot = rocks_snapshot(snapshot_.get());
    read.iterate_lower_bound = &lower_;
    read.iterate_upper_bound = &upper_;
    read.fill_cache = options_.fill_cache;
    const uint64_t failed_before = failed_reads();
    iterator_.reset(db->NewIterator(read, space));
    count_.begin();
    if (!CachedReads::missed()) start();
    has_failed_ = CachedReads::missed() || failed_reads() != failed_before;
  }
  ~RocksCursor() override {
    if (const uint64_t hidden = count_.end(steps_); hidden > 0) buffer_.trimmer.note_skipped(buffer_.number, hidden);
  }
  RocksCursor(const RocksCursor&) = delete;
  RocksCursor& operator=(const RocksCursor&) = delete;
  bool valid() const override { return !has_failed_ && iterator_->Valid(); }
  void next() override {
    if (++steps_ == kCountedSteps) [[unlikely]]
      count_.stop_if_none(steps_);
    const uint64_t failed_before = failed_reads();
    options_.backward ? iterator_->Prev() : iterator_->Next();
    has_failed_ = has_failed_ || failed_reads() != failed_before;
  }
  void seek(std::string_view key) override {
    const uint64_t failed_before = failed_reads();
    iterator_->Seek(slice(key));
    has_failed_ = has_failed_ || failed_reads() != failed_before;
  }
  std::string_view key() const override { return view(iterator_->key()); }
  std::string_view value() const override { return view(iterator_->value()); }
  Result<void> status() const override {
    TRY(result_of(iterator_->status()));
    return has_failed_ ? result_of(rocksdb::Status::IOError("a data file could not be read")) : Result<void>();
  }

 private:
  void start() {
    const rocksdb::Slice after = slice(options_.after);
    if (options_.after.empty()) {
      options_.backward ? iterator_->SeekToLast() : iterator_->SeekToFirst();
    } else if (options_.backward) {
      iterator_->SeekForPrev(after);
      if (iterator_->Valid() && iterator_->key() == after) iterator_->Prev();
    } else {
      iterator_->Seek(after);
      if (iterator_->Valid() && iterator_->key() == after) iterator_->Next();
    }
  }

  const CursorOptions options_;
  const std::shared_ptr<const Snapshot> snapshot_;  // shared: several cursors may use one snapshot
  const TrimmedBuffer buffer_;
  const rocksdb::Slice lower_;
  const rocksdb::Slice upper_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
  HiddenCount count_;
  uint64_t steps_ = 1;       // including the seek to the first entry
  bool has_failed_ = false;  // the iterator's result may be incomplete: see storage/data_files.h
};

}  // namespace

PinnedBytes::PinnedBytes() {
  static_assert(sizeof(rocksdb::PinnableSlice) <= sizeof(handle_));
  new (handle_) rocksdb::PinnableSlice();
}
PinnedBytes::~PinnedBytes() { pinned(handle_)->~PinnableSlice(); }
std::string_view PinnedBytes::view() const { return trestle::view(*pinned(handle_)); }
// RocksDB pins a value in the block it read from a file, and copies it out of a buffer.
bool PinnedBytes::in_write_buffer() const { return !pinned(handle_)->IsPinned(); }

Result<bool> Store::get(Space space, std::string_view key, PinnedBytes& value) const {
  if (CachedReads::missed()) [[unlikely]]
    return std::unexpected(miss_error());
  disable_perf_counters();
  rocksdb::PinnableSlice* out = pinned(value.handle_);
  out->Reset();
  const rocksdb::Status status = impl_->db->Get(rocksdb::ReadOptions(), impl_->space(space), slice(key), out);
  if (status.IsNotFound()) return false;
  TRY(result_of(status));
  return true;
}

Result<bool> Store::get(Space space, std::string_view key, PinnedBytes& value, const Snapshot& at) const {
  if (CachedReads::missed()) [[unlikely]]
    return std::unexpected(miss_error());
  rocksdb::PinnableSlice* out = pinned(value.handle_);
  out->Reset();
  rocksdb::ReadOptions read;
  read.snapshot = rocks_snapshot(&at);
  const rocksdb::Status status = impl_->db->Get(read, impl_->space(space), slice(key), out);
  if (status.IsNotFound()) return false;
  TRY(result_of(status));
  return true;
}

std::shared_ptr<const Snapshot> Store::snapshot() const { return std::make_shared<RocksSnapshot>(impl_->db.get()); }

std::unique_ptr<Cursor> Store::cursor(Space space, CursorOptions options,
                                      std::shared_ptr<const Snapshot> snapshot) const {
  return std::make_unique<RocksCursor>(impl_->db.get(), impl_->space(space), std::move(options), std::move(snapshot),
                                       TrimmedBuffer{*impl_->trimmer, static_cast<size_t>(space)});
}

}  // namespace trestle
