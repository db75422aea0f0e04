#include "storage/store.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/write_buffer_manager.h>

#include <array>
#include <atomic>
#include <new>

#include "base/bytes.h"
#include "base/mutex.h"
#include "storage/durability.h"
#include "storage/format_version.h"

namespace trestle {
namespace {

constexpr const char* kSpaceNames[kSpaces] = {"default", "items", "streams", "expiry", "tokens"};

// RocksDB counts what each thread does, at some cost, unless the thread says that nobody will look.
void count_nothing() {
  thread_local bool told = false;
  if (told) return;
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  told = true;
}

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// The only place where a rocksdb::Status becomes an Error.
// Clients are told the kind of trouble; the details, file names among them, are for the log.
Error error_of(const rocksdb::Status& status) {
  fmt::print(stderr, "trestle: store: {}\n", status.ToString());
  if (status.IsIOError() || status.IsNoSpace() || status.IsBusy() || status.IsIncomplete()) {
    return {.code = ErrorCode::kServiceUnavailable,
            .message = "The disk is full or failing. What this request wrote is not acknowledged; try again later"};
  }
  return {.code = ErrorCode::kInternal, .message = "The store failed; the server's log tells more"};
}

// RocksDB's own log goes nowhere: a LOG file on a full disk would stop the program (it is built with assertions), and
// what matters of it comes back as a Status.
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

rocksdb::ColumnFamilyOptions space_options(const std::shared_ptr<rocksdb::Cache>& cache) {
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
  options.write_buffer_size = size_t{32} << 20;
  options.max_write_buffer_number = 4;
  options.target_file_size_base = size_t{32} << 20;
  options.level_compaction_dynamic_level_bytes = true;
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
  std::unique_ptr<rocksdb::Env> memory_env;  // outlives db
  std::shared_ptr<rocksdb::Cache> cache;
  std::unique_ptr<rocksdb::DB> db;
  std::array<rocksdb::ColumnFamilyHandle*, kSpaces> spaces{};
  std::unique_ptr<DurabilityTracker> durability;
  rocksdb::WriteOptions write_options;
  // Relaxed: how many commits the log holds, and how many of them the system has been given.
  std::atomic<uint64_t> logged{0};
  std::atomic<uint64_t> settled{0};
  Mutex settling;  // one at a time hands over

  ~Impl() {
    durability.reset();
    if (!db) return;
    if (!options.in_memory) db->FlushWAL(true).PermitUncheckedError();
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

class RocksCursor final : public Cursor {
 public:
  RocksCursor(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* space, CursorOptions options,
              std::shared_ptr<const Snapshot> snapshot)
      : options_(std::move(options)),
        snapshot_(std::move(snapshot)),
        lower_(slice(options_.range.begin)),
        upper_(slice(options_.range.end)) {
    rocksdb::ReadOptions read;
    read.snapshot = rocks_snapshot(snapshot_.get());
    read.iterate_lower_bound = &lower_;
    read.iterate_upper_bound = &upper_;
    read.fill_cache = options_.fill_cache;
    iterator_.reset(db->NewIterator(read, space));
    start();
  }
  bool valid() const override { return iterator_->Valid(); }
  void next() override { options_.backward ? iterator_->Prev() : iterator_->Next(); }
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
  const rocksdb::Slice lower_;
  const rocksdb::Slice upper_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace

PinnedBytes::PinnedBytes() {
  static_assert(sizeof(rocksdb::PinnableSlice) <= sizeof(handle_));
  new (handle_) rocksdb::PinnableSlice();
}
PinnedBytes::~PinnedBytes() { pinned(handle_)->~PinnableSlice(); }
std::string_view PinnedBytes::view() const { return trestle::view(*pinned(handle_)); }

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
  return std::make_unique<RocksCursor>(impl_->db.get(), impl_->space(space), std::move(options), std::move(snapshot));
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

}  // namespace

// Commit numbers are the run's number, above, and a count of commits within it: they grow also over restarts. The runs
// so far are kept in kCatalog under 'r' (u32 big endian). Returns the number before the first of this run.
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
  impl->cache = rocksdb::NewLRUCache(options.cache_bytes, 6, false, 0.5);
  rocksdb::DBOptions db_options = database_options(options, impl->cache);
  std::string folder = options.folder;
  if (options.in_memory) {
    folder = "/memory";
    impl->memory_env.reset(rocksdb::NewMemEnv(rocksdb::Env::Default()));
    db_options.env = impl->memory_env.get();
    impl->write_options.disableWAL = true;
    impl->options.durability = Durability::kRelaxed;
  } else {
    TRY(claim_folder(folder));
    db_options.manual_wal_flush = options.durability == Durability::kRelaxed;
  }
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const char* name : kSpaceNames) families.emplace_back(name, space_options(impl->cache));
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  TRY(explain_open(rocksdb::DB::Open(db_options, folder, families, &handles, &db), folder));
  impl->db.reset(db);
  std::copy(handles.begin(), handles.end(), impl->spaces.begin());
  TRY_INTO(const uint64_t last, next_run(*impl));
  impl->durability = std::make_unique<DurabilityTracker>(
      DurabilityTracker::Disk{
          .sync = [db, in_memory = options.in_memory] { return in_memory ? Result<void>{} : result_of(db->SyncWAL()); },
          .recover = [db] { return result_of(db->Resume()); },
      },
      last);
  return std::unique_ptr<Store>(new Store(std::move(impl)));
}

// ---- Writing

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
  const bool waits = impl_->options.durability == Durability::kSync;
  if (waits) {
    for (uint32_t hash : batch.impl_->partitions) durability.mark(number, hash);
  }
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

Result<void> Store::settle() {
  const uint64_t logged = impl_->logged.load(std::memory_order_acquire);
  if (impl_->settled.load(std::memory_order_acquire) >= logged || impl_->options.in_memory) return {};
  MutexLock lock(impl_->settling);
  if (impl_->settled.load(std::memory_order_acquire) >= logged) return {};  // another thread's turn covered ours
  const uint64_t covered = impl_->logged.load(std::memory_order_acquire);
  auto flushed = result_of(impl_->db->FlushWAL(false));
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

Result<void> Store::drop_range(Space space, const KeyRange& range) {
  rocksdb::ColumnFamilyHandle* handle = impl_->space(space);
  const rocksdb::Slice begin = slice(range.begin);
  const rocksdb::Slice end = slice(range.end);
  // Whole files go at once; a tombstone covers the edges, and compaction takes both away.
  const rocksdb::RangePtr whole(&begin, &end);
  TRY(result_of(rocksdb::DeleteFilesInRanges(impl_->db.get(), handle, &whole, 1, false)));
  TRY(result_of(impl_->db->DeleteRange(impl_->write_options, handle, begin, end)));
  rocksdb::CompactRangeOptions compact;
  compact.exclusive_manual_compaction = false;
  return result_of(impl_->db->CompactRange(compact, handle, &begin, &end));
}

void Store::each_figure(const std::function<void(std::string_view, uint64_t)>& visit) const {
  const auto property = [&](std::string_view name, const std::string& key, Space space) {
    uint64_t value = 0;
    if (impl_->db->GetIntProperty(impl_->space(space), key, &value)) visit(name, value);
  };
  visit("cache_bytes", impl_->cache->GetUsage());
  visit("cache_capacity_bytes", impl_->cache->GetCapacity());
  property("memtable_bytes", rocksdb::DB::Properties::kCurSizeAllMemTables, Space::kItems);
  property("live_data_bytes", rocksdb::DB::Properties::kEstimateLiveDataSize, Space::kItems);
  property("files_bytes", rocksdb::DB::Properties::kTotalSstFilesSize, Space::kItems);
  property("pending_compaction_bytes", rocksdb::DB::Properties::kEstimatePendingCompactionBytes, Space::kItems);
  property("running_compactions", rocksdb::DB::Properties::kNumRunningCompactions, Space::kItems);
  property("table_readers_bytes", rocksdb::DB::Properties::kEstimateTableReadersMem, Space::kItems);
}

}  // namespace trestle
