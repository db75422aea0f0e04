#include "storage/store.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>
#include <rocksdb/write_buffer_manager.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <thread>

#include "base/bytes.h"
#include "base/mutex.h"
#include "storage/buffer_trimmer.h"
#include "storage/durability.h"
#include "storage/format_version.h"
#include "storage/hidden_count.h"
#include "storage/history_filter.h"
#include "storage/store_counters.h"

namespace trestle {
namespace {

constexpr const char* kSpaceNames[kSpaces] = {"default", "items", "streams", "expiry", "tokens", "history"};

// RocksDB keeps per-thread counters, at some cost, unless the thread disables them.
void count_nothing() {
  thread_local bool told = false;
  if (told) return;
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  told = true;
}

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// The only place where a rocksdb::Status becomes an Error. Clients get the kind of failure; details such as file names
// go to the log.
Error error_of(const rocksdb::Status& status) {
  fmt::print(stderr, "trestle: store: {}\n", status.ToString());
  if (status.IsIOError() || status.IsNoSpace() || status.IsBusy() || status.IsIncomplete()) {
    return {.code = ErrorCode::kServiceUnavailable,
            .message = "The disk is full or failing. What this request wrote is not acknowledged; try again later"};
  }
  return {.code = ErrorCode::kInternal, .message = "The store failed; the server's log tells more"};
}

// Discards RocksDB's own log: a LOG file on a full disk would stop the program (it is built with assertions), and
// important failures are returned as a Status.
class NoLog final : public rocksdb::Logger {
 public:
  NoLog() : rocksdb::Logger(rocksdb::InfoLogLevel::FATAL_LEVEL) {}
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

Result<void> result_of(const rocksdb::Status& status) {
  if (status.ok()) return {};
  return std::unexpected(error_of(status));
}

rocksdb::ColumnFamilyOptions space_options(Space space, const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.block_size = 4096;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  table.format_version = 5;
  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.write_buffer_size = std::clamp(cache->GetCapacity() / 8, size_t{1} << 20, size_t{32} << 20);
  options.max_write_buffer_number = 4;
  // A bloom filter saves lookups of items that are only in files the search of the buffer.
  if (space == Space::kItems) {
    options.memtable_prefix_bloom_size_ratio = 0.02;
    options.memtable_whole_key_filtering = true;
  }
  options.target_file_size_base = size_t{32} << 20;
  options.level_compaction_dynamic_level_bytes = true;
  // A file with a stretch that is half tombstones is compacted soon: readers have to skip them all.
  options.table_properties_collector_factories = {rocksdb::NewCompactOnDeletionCollectorFactory(1024, 512)};
  options.compression_per_level = {rocksdb::kNoCompression,  rocksdb::kNoCompression,  rocksdb::kLZ4Compression,
                                   rocksdb::kLZ4Compression, rocksdb::kLZ4Compression, rocksdb::kLZ4Compression,
                                   rocksdb::kLZ4Compression};
  return options;
}

rocksdb::DBOptions database_options(const StoreOptions& options, const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::DBOptions db;
  db.create_if_missing = true;
  db.create_missing_column_families = true;
  db.max_background_jobs = 2;
  db.bytes_per_sync = 1 << 20;
  db.max_total_wal_size = uint64_t{256} << 20;
  db.info_log = std::make_shared<NoLog>();
  db.max_open_files = 512;
  // Write buffers live inside the cache's budget, so that memory is bounded by one number.
  db.write_buffer_manager = std::make_shared<rocksdb::WriteBufferManager>(options.cache_bytes / 4, cache);
  return db;
}

}  // namespace

// ---- Batch

struct Batch::Impl {
  rocksdb::WriteBatch writes;
  std::vector<uint32_t> partitions;  // hashes of the partitions that change
  std::array<rocksdb::ColumnFamilyHandle*, kSpaces> spaces{};
  rocksdb::ColumnFamilyHandle* space(Space space) const { return spaces[static_cast<size_t>(space)]; }
};

struct Store::Impl {
  StoreOptions options;
  std::unique_ptr<rocksdb::Env> env;  // null: the default one; outlives db
  std::shared_ptr<rocksdb::Cache> cache;
  std::shared_ptr<StoreCounters> counters = std::make_shared<StoreCounters>();  // RocksDB holds it too
  std::unique_ptr<rocksdb::DB> db;
  std::array<rocksdb::ColumnFamilyHandle*, kSpaces> spaces{};
  std::shared_ptr<HistoryFilters> history_filters = std::make_shared<HistoryFilters>();  // RocksDB holds it too
  std::unique_ptr<DurabilityTracker> durability;
  std::unique_ptr<BufferTrimmer> trimmer;
  rocksdb::WriteOptions write_options;
  // Relaxed durability: how many commits the log holds, and how many of them have been passed to the operating system.
  std::atomic<uint64_t> logged{0};
  std::atomic<uint64_t> settled{0};
  Mutex settling;  // one at a time hands over
  std::atomic<bool> handing_over{false};

  // RocksDB lets no commit begin while its log is flushed. That takes microseconds, but a thread that runs into it
  // sleeps, and waking up takes many times as long: it is better to retry a few times first. A commit may still run
  // into it.
  void avoid_handing_over() const {
    constexpr int kLooks = 64;
    for (int i = 0; i < kLooks && handing_over.load(std::memory_order_relaxed); ++i) std::this_thread::yield();
  }

  ~Impl() {
    trimmer.reset();
    // RocksDB stops the program, by an assertion, if a log is synced after a write to it has failed; and an attempt to
    // recover may wait forever for a flush that RocksDB has lost track of, unless it is told about the shutdown.
    const bool failed = !durability || durability->failed();  // or it was not opened to the end
    if (failed && db) rocksdb::CancelAllBackgroundWork(db.get(), false);
    durability.reset();
    if (!db) return;
    if (!options.in_memory && !failed) db->FlushWAL(true).PermitUncheckedError();
    for (auto* space : spaces) {
      if (space) db->DestroyColumnFamilyHandle(space).PermitUncheckedError();
    }
    db->Close().PermitUncheckedError();
  }
  rocksdb::ColumnFamilyHandle* space(Space space) const { return spaces[static_cast<size_t>(space)]; }
};

Batch::Batch(const Store& store) : impl_(std::make_unique<Impl>()) { impl_->spaces = store.impl_->spaces; }
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

void Batch::put(Space space, std::string_view key, std::string_view value) {
  if (space == Space::kItems) impl_->partitions.push_back(partition_hash(key));
  impl_->writes.Put(impl_->space(space), slice(key), slice(value)).PermitUncheckedError();
}

void Batch::erase(Space space, std::string_view key) {
  if (space == Space::kItems) impl_->partitions.push_back(partition_hash(key));
  impl_->writes.Delete(impl_->space(space), slice(key)).PermitUncheckedError();
}

void Batch::erase_range(Space space, const KeyRange& range) {
  impl_->writes.DeleteRange(impl_->space(space), slice(range.begin), slice(range.end)).PermitUncheckedError();
}

bool Batch::empty() const { return impl_->writes.Count() == 0; }

void Batch::clear() {
  impl_->writes.Clear();
  impl_->partitions.clear();
}

// ---- Reading

namespace {

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

// Receives the number of hidden entries that a cursor skipped.
struct TrimmedBuffer {
  BufferTrimmer& trimmer;
  size_t number;
};

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
    iterator_.reset(db->NewIterator(read, space));
    count_.begin();
    start();
  }
  ~RocksCursor() override {
    if (const uint64_t hidden = count_.end(steps_); hidden > 0) buffer_.trimmer.passed(buffer_.number, hidden);
  }
  RocksCursor(const RocksCursor&) = delete;
  RocksCursor& operator=(const RocksCursor&) = delete;
  bool valid() const override { return iterator_->Valid(); }
  void next() override {
    ++steps_;
    options_.backward ? iterator_->Prev() : iterator_->Next();
  }
  void seek(std::string_view key) override { iterator_->Seek(slice(key)); }
  std::string_view key() const override { return view(iterator_->key()); }
  std::string_view value() const override { return view(iterator_->value()); }
  Result<void> status() const override { return result_of(iterator_->status()); }

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
  const std::shared_ptr<const Snapshot> snapshot_;  // shared: several cursors may read at one moment
  const TrimmedBuffer buffer_;
  const rocksdb::Slice lower_;
  const rocksdb::Slice upper_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
  HiddenCount count_;
  uint64_t steps_ = 1;  // and one to the first
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
  count_nothing();
  rocksdb::PinnableSlice* out = pinned(value.handle_);
  out->Reset();
  const rocksdb::Status status = impl_->db->Get(rocksdb::ReadOptions(), impl_->space(space), slice(key), out);
  if (status.IsNotFound()) return false;
  TRY(result_of(status));
  return true;
}

Result<bool> Store::get(Space space, std::string_view key, PinnedBytes& value, const Snapshot& at) const {
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

// ---- Opening

namespace {

Result<void> explain_open(const rocksdb::Status& status, const std::string& folder) {
  if (status.ok()) return {};
  if (status.ToString().find("LOCK") != std::string::npos || status.ToString().find("lock") != std::string::npos) {
    return failure(ErrorCode::kServiceUnavailable,
                   fmt::format("the data folder {} is in use by another process, or cannot be locked", folder));
  }
  return failure(ErrorCode::kServiceUnavailable, fmt::format("cannot open {}: {}", folder, status.ToString()));
}

// The write buffer of each space.
BufferTrimmer::Buffers buffers_of(rocksdb::DB& db, const std::array<rocksdb::ColumnFamilyHandle*, kSpaces>& spaces) {
  return {
      .count = kSpaces,
      .entries =
          [&db, spaces](size_t space) {
            uint64_t active = 0;
            uint64_t full = 0;
            db.GetIntProperty(spaces[space], rocksdb::DB::Properties::kNumEntriesActiveMemTable, &active);
            db.GetIntProperty(spaces[space], rocksdb::DB::Properties::kNumEntriesImmMemTables, &full);
            return active + full;
          },
      .write_out =
          [&db, spaces](size_t space) {
            rocksdb::FlushOptions flush;
            flush.allow_write_stall = true;  // rather than wait, which only makes more to write
            // A failing disk also fails commits, and those report it.
            db.Flush(flush, spaces[space]).PermitUncheckedError();
          },
  };
}

}  // namespace

// Commit numbers are the number of the run, in the high bits, and a count of commits within it: they grow also across
// restarts. The number of runs so far is in kCatalog under 'r' (u32 big endian). Returns the number before the first of
// this run.
Result<uint64_t> Store::next_run(Impl& impl) {
  constexpr unsigned kCountBits = 40;
  std::string value;
  uint32_t run = 0;
  const rocksdb::Status status = impl.db->Get(rocksdb::ReadOptions(), impl.space(Space::kCatalog), "r", &value);
  if (status.ok() && value.size() == 4) run = load_u32_be(value.data());
  if (!status.ok() && !status.IsNotFound()) return std::unexpected(error_of(status));
  value.clear();
  append_u32_be(value, run + 1);
  TRY(result_of(impl.db->Put(impl.write_options, impl.space(Space::kCatalog), "r", value)));
  return uint64_t{run} << kCountBits;
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::open(const StoreOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  // Write buffers take room in the cache by pieces of 256 KB, of which each shard must hold many.
  int shard_bits = 0;
  while (shard_bits < 6 && options.cache_bytes >> (shard_bits + 1) >= size_t{4} << 20) ++shard_bits;
  impl->cache = rocksdb::NewLRUCache(options.cache_bytes, shard_bits, false, 0.5);
  rocksdb::DBOptions db_options = database_options(options, impl->cache);
  db_options.statistics = impl->counters;
  std::string folder = options.folder;
  if (options.in_memory) {
    folder = "/memory";
    impl->env.reset(rocksdb::NewMemEnv(rocksdb::Env::Default()));
    impl->write_options.disableWAL = true;
    impl->options.durability = Durability::kRelaxed;
  } else {
    TRY(claim_folder(folder));
    db_options.manual_wal_flush = options.durability == Durability::kRelaxed;
    if (options.file_system) impl->env = rocksdb::NewCompositeEnv(options.file_system);
  }
  if (impl->env) db_options.env = impl->env.get();
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (size_t i = 0; i < kSpaces; ++i) {
    families.emplace_back(kSpaceNames[i], space_options(static_cast<Space>(i), impl->cache));
  }
  // A file of the history that nothing else touches is looked through once a day.
  rocksdb::ColumnFamilyOptions& history = families[static_cast<size_t>(Space::kHistory)].options;
  history.compaction_filter_factory = impl->history_filters;
  history.periodic_compaction_seconds = uint64_t{24} * 60 * 60;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  TRY(explain_open(rocksdb::DB::Open(db_options, folder, families, &handles, &db), folder));
  impl->db.reset(db);
  std::copy(handles.begin(), handles.end(), impl->spaces.begin());
  TRY_INTO(const uint64_t last, next_run(*impl));
  // The run's number is durable before a commit has it. Besides, a log must not be synced for the first time after a
  // write to it has failed: RocksDB asserts that.
  if (!options.in_memory) TRY(result_of(db->FlushWAL(true)));
  const auto sync_log = [db, in_memory = options.in_memory, buffered = db_options.manual_wal_flush]() -> Result<void> {
    if (in_memory) return {};
    return result_of(buffered ? db->FlushWAL(true) : db->SyncWAL());
  };
  impl->durability = std::make_unique<DurabilityTracker>(DurabilityTracker::Disk{
                                                             .sync = [sync_log] { return sync_log(); },
                                                             .recover = [db, sync_log]() -> Result<void> {
                                                               TRY(result_of(db->Resume()));
                                                               // Resume() syncs nothing if RocksDB itself recorded no
                                                               // error.
                                                               return sync_log();
                                                             },
                                                         },
                                                         last);
  impl->trimmer = std::make_unique<BufferTrimmer>(buffers_of(*db, impl->spaces));
  return std::unique_ptr<Store>(new Store(std::move(impl)));
}

// ---- Writing

bool Store::waits_for_sync() const { return impl_->options.durability == Durability::kSync; }

Result<uint64_t> Store::commit(Batch& batch) { return commit(batch, begin_commit()); }

uint64_t Store::begin_commit() { return impl_->durability->begin(); }
uint64_t Store::finished_commit() const { return impl_->durability->finished(); }
uint64_t Store::begun_commit() const { return impl_->durability->seen(); }

Result<uint64_t> Store::commit(Batch& batch, uint64_t number) {
  DurabilityTracker& durability = *impl_->durability;
  if (durability.failed()) {
    durability.finish(number, false);
    return std::unexpected(durability.failure_error());
  }
  const bool waits = waits_for_sync();
  if (waits) {
    for (uint32_t hash : batch.impl_->partitions) durability.mark(number, hash);
  }
  impl_->avoid_handing_over();
  const rocksdb::Status status = impl_->db->Write(impl_->write_options, &batch.impl_->writes);
  durability.finish(number, status.ok());
  if (!status.ok()) {
    Error error = error_of(status);
    durability.report_failure(error);
    return std::unexpected(std::move(error));
  }
  if (!waits) impl_->logged.fetch_add(1, std::memory_order_acq_rel);
  return waits ? number : 0;
}

void Store::note_superseded(Space space) { impl_->trimmer->superseded(static_cast<size_t>(space)); }

Result<void> Store::settle() {
  const uint64_t logged = impl_->logged.load(std::memory_order_acquire);
  if (impl_->settled.load(std::memory_order_acquire) >= logged || impl_->options.in_memory) return {};
  MutexLock lock(impl_->settling);
  if (impl_->settled.load(std::memory_order_acquire) >= logged) return {};  // another thread's turn covered ours
  const uint64_t covered = impl_->logged.load(std::memory_order_acquire);
  impl_->handing_over.store(true, std::memory_order_relaxed);
  auto flushed = result_of(impl_->db->FlushWAL(false));
  impl_->handing_over.store(false, std::memory_order_relaxed);
  if (flushed.has_value()) {
    impl_->settled.store(covered, std::memory_order_release);
  } else {
    impl_->durability->report_failure(flushed.error());
  }
  return flushed;
}

uint64_t Store::commit_seen(std::string_view partition_or_key) const {
  if (impl_->options.durability != Durability::kSync) return 0;
  return impl_->durability->seen(partition_hash(partition_or_key));
}
uint64_t Store::commit_seen() const {
  return impl_->options.durability == Durability::kSync ? impl_->durability->seen() : 0;
}
uint64_t Store::durable_commit() const { return impl_->durability->durable(); }
Result<void> Store::wait_durable(uint64_t commit) {
  TRY(settle());
  return impl_->durability->wait(commit);
}
void Store::when_durable(uint64_t commit, std::move_only_function<void(Result<void>)> then) {
  impl_->durability->when(commit, std::move(then));
}

void Store::wait_for_callbacks() { impl_->durability->wait_for_callbacks(); }

Result<void> Store::sync() {
  if (impl_->options.in_memory) return {};
  if (impl_->durability->failed()) return std::unexpected(impl_->durability->failure_error());
  auto synced = result_of(impl_->db->FlushWAL(true));
  if (!synced.has_value()) impl_->durability->report_failure(synced.error());
  return synced;
}

Result<void> Store::drop_range(Space space, const KeyRange& range) {
  rocksdb::ColumnFamilyHandle* handle = impl_->space(space);
  const rocksdb::Slice begin = slice(range.begin);
  const rocksdb::Slice end = slice(range.end);
  if (impl_->durability->failed()) return std::unexpected(impl_->durability->failure_error());
  // Whole files go at once; a tombstone covers the edges, and compaction takes both away.
  const rocksdb::RangePtr whole(&begin, &end);
  rocksdb::Status status = rocksdb::DeleteFilesInRanges(impl_->db.get(), handle, &whole, 1, false);
  if (status.ok()) status = impl_->db->DeleteRange(impl_->write_options, handle, begin, end);
  if (status.ok()) {
    rocksdb::CompactRangeOptions compact;
    compact.exclusive_manual_compaction = false;
    status = impl_->db->CompactRange(compact, handle, &begin, &end);
  }
  // That has begun a new log; see open() for why it is synced at once.
  if (status.ok() && !impl_->options.in_memory && !impl_->durability->failed()) status = impl_->db->FlushWAL(true);
  auto dropped = result_of(status);
  // RocksDB refuses everything after an error: somebody must recover it, before a client's write meets it.
  if (!dropped.has_value()) impl_->durability->report_failure(dropped.error());
  return dropped;
}

void Store::set_history_cutoffs(std::map<uint32_t, int64_t> cutoffs_ms) {
  impl_->history_filters->set(std::move(cutoffs_ms));
}

Result<void> Store::compact(Space space, const KeyRange& range) {
  const rocksdb::Slice begin = slice(range.begin);
  const rocksdb::Slice end = slice(range.end);
  rocksdb::CompactRangeOptions compact;
  compact.exclusive_manual_compaction = false;
  compact.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  return result_of(impl_->db->CompactRange(compact, impl_->space(space), &begin, &end));
}

// Entries of write buffers are counted by RocksDB; those of files by their share of the files' bytes.
uint64_t Store::approximate_count(Space space, const KeyRange& range) const {
  rocksdb::ColumnFamilyHandle* handle = impl_->space(space);
  const rocksdb::Range wanted(slice(range.begin), slice(range.end));
  uint64_t count = 0;
  uint64_t bytes = 0;
  impl_->db->GetApproximateMemTableStats(handle, wanted, &count, &bytes);
  bytes = 0;
  if (!impl_->db->GetApproximateSizes(handle, &wanted, 1, &bytes).ok() || bytes == 0) return count;
  const auto property = [&](const std::string& name) {
    uint64_t value = 0;
    impl_->db->GetIntProperty(handle, name, &value);
    return value;
  };
  using Properties = rocksdb::DB::Properties;
  const uint64_t all_keys = property(Properties::kEstimateNumKeys);
  const uint64_t in_memory =
      property(Properties::kNumEntriesActiveMemTable) + property(Properties::kNumEntriesImmMemTables);
  const uint64_t all_bytes = property(Properties::kLiveSstFilesSize);
  if (all_bytes == 0 || all_keys <= in_memory) return count;
  const double share = std::min(1.0, static_cast<double>(bytes) / static_cast<double>(all_bytes));
  return count + static_cast<uint64_t>(static_cast<double>(all_keys - in_memory) * share);
}

void Store::each_figure(const std::function<void(const Figure&)>& visit) const {
  const auto property = [&](std::string_view name, std::string_view help, const std::string& key) {
    uint64_t sum = 0;
    for (rocksdb::ColumnFamilyHandle* space : impl_->spaces) {
      uint64_t value = 0;
      if (impl_->db->GetIntProperty(space, key, &value)) sum += value;
    }
    visit({.name = name, .help = help, .value = static_cast<double>(sum)});
  };
  const auto ticker = [&](std::string_view name, std::string_view help, rocksdb::Tickers which, double factor = 1) {
    const auto count = static_cast<double>(impl_->counters->getTickerCount(which));
    visit({.name = name, .help = help, .only_grows = true, .value = count * factor});
  };
  using Properties = rocksdb::DB::Properties;
  visit({.name = "cache_bytes",
         .help = "What the cache holds, write buffers included",
         .value = static_cast<double>(impl_->cache->GetUsage())});
  visit({.name = "cache_capacity_bytes",
         .help = "What the cache may hold: --cache-mb",
         .value = static_cast<double>(impl_->cache->GetCapacity())});
  ticker("cache_hits_total", "Blocks that a read found in the cache", rocksdb::BLOCK_CACHE_HIT);
  ticker("cache_misses_total", "Blocks that a read had to fetch from a file", rocksdb::BLOCK_CACHE_MISS);
  property("memtable_bytes", "Write buffers, those being flushed included", Properties::kCurSizeAllMemTables);
  property("live_data_bytes", "An estimate of the data that is not deleted", Properties::kEstimateLiveDataSize);
  property("files_bytes", "Size of the data files", Properties::kTotalSstFilesSize);
  property("table_readers_bytes", "Memory of open data files outside of the cache",
           Properties::kEstimateTableReadersMem);
  property("pending_compaction_bytes", "An estimate of what compaction has yet to rewrite",
           Properties::kEstimatePendingCompactionBytes);
  uint64_t running = 0;  // of the whole database, whatever the space
  impl_->db->GetIntProperty(impl_->space(Space::kItems), Properties::kNumRunningCompactions, &running);
  visit({.name = "running_compactions", .help = "Compactions under way", .value = static_cast<double>(running)});
  ticker("compaction_read_bytes_total", "Bytes that compactions read", rocksdb::COMPACT_READ_BYTES);
  ticker("compaction_written_bytes_total", "Bytes that compactions wrote", rocksdb::COMPACT_WRITE_BYTES);
  ticker("flush_written_bytes_total", "Bytes that flushes of write buffers wrote", rocksdb::FLUSH_WRITE_BYTES);
  ticker("stall_seconds_total", "How long writes were held up for flushes and compactions", rocksdb::STALL_MICROS,
         1e-6);
  visit({.name = "hidden_entries_passed_total",
         .help = "Entries of write buffers that readers passed because newer ones hide them",
         .only_grows = true,
         .value = static_cast<double>(impl_->trimmer->passed())});
  visit({.name = "buffers_written_out_early_total",
         .help = "Write buffers that were flushed because they held mostly what nobody can see any more",
         .only_grows = true,
         .value = static_cast<double>(impl_->trimmer->written_out())});
  visit({.name = "sync_waiters",
         .help = "Answers that wait for a sync of the log",
         .value = static_cast<double>(impl_->durability->waiting())});
  visit({.name = "syncs_total",
         .help = "Syncs of the log",
         .only_grows = true,
         .value = static_cast<double>(impl_->durability->sync_count())});
  visit({.name = "sync_seconds_total",
         .help = "How long those syncs took",
         .only_grows = true,
         .value = static_cast<double>(impl_->durability->sync_us()) * 1e-6});
}

}  // namespace trestle
