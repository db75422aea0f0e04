#include "storage/store.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>
#include <rocksdb/write_buffer_manager.h>

#include <algorithm>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "base/start_threads.h"
#include "storage/cached_reads.h"
#include "storage/data_files.h"
#include "storage/disk/memory_files.h"
#include "storage/format_version.h"
#include "storage/store_impl.h"

namespace trestle {
namespace {

constexpr const char* kSpaceNames[kSpaces] = {"default", "items", "streams", "expiry", "tokens", "history"};

// Discards RocksDB's own log. A LOG file on a full disk would abort the program (RocksDB is built with assertions), and
// important errors are returned as a Status anyway.
class NoLog final : public rocksdb::Logger {
 public:
  NoLog() : rocksdb::Logger(rocksdb::InfoLogLevel::FATAL_LEVEL) {}
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

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
  // With a bloom filter, lookups of items that are only in files need not search the write buffer.
  if (space == Space::kItems) {
    options.memtable_prefix_bloom_size_ratio = 0.02;
    options.memtable_whole_key_filtering = true;
  }
  options.target_file_size_base = size_t{32} << 20;
  options.level_compaction_dynamic_level_bytes = true;
  // Compact a file soon if it has 512 tombstones among any 1024 consecutive entries: readers have to skip them all.
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
  db.avoid_flush_during_shutdown = true;  // the data is in the log
  // Write buffers are charged to the cache, so that one number bounds memory.
  db.write_buffer_manager = std::make_shared<rocksdb::WriteBufferManager>(options.cache_bytes / 4, cache);
  return db;
}

}  // namespace

Error miss_error() {
  return {.code = ErrorCode::kServiceUnavailable,
          .message = "The data that this request needs is not in memory; try again"};
}

// Clients get the kind of error; the details, such as file names, go to the log only.
Error error_of(const rocksdb::Status& status) {
  if (CachedReads::missed()) return miss_error();
  fmt::print(stderr, "trestle: store: {}\n", status.ToString());
  if (status.IsIOError() || status.IsNoSpace() || status.IsBusy() || status.IsIncomplete() ||
      status.IsShutdownInProgress()) {
    return {.code = ErrorCode::kServiceUnavailable,
            .message = "The disk is full or failing. The write is not acknowledged; try again later"};
  }
  return {.code = ErrorCode::kInternal, .message = "The store failed; see the server's log"};
}

Store::Impl::~Impl() {
  closing.store(true, std::memory_order_release);
  trimmer.reset();
  // A recovery attempt may be waiting for RocksDB, so RocksDB's background work must be cancelled.
  const bool failed = !durability || durability->failed();  // or opening failed half-way
  if (failed && db) rocksdb::CancelAllBackgroundWork(db.get(), false);
  errors->set_handler(nullptr);
  durability.reset();
  if (!db) return;
  if (!failed) (void)sync_log();
  for (auto* space : spaces) {
    if (space) db->DestroyColumnFamilyHandle(space).PermitUncheckedError();
  }
  db->Close().PermitUncheckedError();
}

// ---- Batch

Batch::Batch(const Store& store) : impl_(std::make_unique<Impl>()) { impl_->spaces = store.impl_->spaces; }
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

void Batch::put(Space space, std::string_view key, std::string_view value) {
  impl_->note_change(space, key);
  impl_->writes.Put(impl_->space(space), slice(key), slice(value)).PermitUncheckedError();
}

void Batch::erase(Space space, std::string_view key) {
  impl_->note_change(space, key);
  impl_->writes.Delete(impl_->space(space), slice(key)).PermitUncheckedError();
}

void Batch::erase_range(Space space, const KeyRange& range) {
  impl_->writes.DeleteRange(impl_->space(space), slice(range.begin), slice(range.end)).PermitUncheckedError();
}

void Batch::set_unread() { impl_->is_unread = true; }

size_t Batch::size_bytes() const { return impl_->writes.GetDataSize(); }

bool Batch::empty() const { return impl_->writes.Count() == 0; }

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
BufferTrimmer::Buffers buffers_of(rocksdb::DB& db, const std::array<rocksdb::ColumnFamilyHandle*, kSpaces>& spaces,
                                  std::function<rocksdb::Status(Space)> flush) {
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
      .flush =
          [flush = std::move(flush)](size_t space) {
            // If the disk fails, commits fail too, and they report the error.
            flush(static_cast<Space>(space)).PermitUncheckedError();
          },
  };
}

// RocksDB starts 16 threads to open its files, and ends the program if only some of them can be started. The others are
// those of the store and of the engine's jobs, so that an engine fails before it has changed anything.
Result<void> check_for_threads() {
  constexpr size_t kThreadsOfOpen = 28;
  std::vector<std::thread> threads;
  std::promise<void> end;
  const std::shared_future<void> ended(end.get_future());
  try {
    start_threads(threads, kThreadsOfOpen, [ended](size_t) { ended.wait(); }, [&end] { end.set_value(); });
  } catch (const std::system_error& error) {
    return failure(ErrorCode::kServiceUnavailable, "Cannot start a thread: " + error.code().message());
  }
  end.set_value();
  for (std::thread& thread : threads) thread.join();
  return {};
}

}  // namespace

// A commit number has the number of the run in its high bits and a count of commits within the run in its low bits, so
// numbers grow across restarts. The number of runs so far is stored in kCatalog under 'r' (u32 big endian). Returns the
// number that precedes the first commit of this run.
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
  impl.run = value;
  return uint64_t{run} << kCountBits;
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::open(const StoreOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  // Write buffers reserve cache space in pieces of 256 KB, and each shard must have room for many of them.
  int shard_bits = 0;
  while (shard_bits < 6 && options.cache_bytes >> (shard_bits + 1) >= size_t{4} << 20) ++shard_bits;
  impl->cache = rocksdb::NewLRUCache(options.cache_bytes, shard_bits, false, 0.5);
  rocksdb::DBOptions db_options = database_options(options, impl->cache);
  db_options.statistics = impl->counters;
  db_options.listeners = {impl->errors};
  std::string folder = options.folder;
  if (options.in_memory) {
    folder = "/memory";
    impl->env = rocksdb::NewCompositeEnv(std::make_shared<MemoryFiles>());
    db_options.fail_if_options_file_error = false;
    db_options.max_file_opening_threads = 1;  // there are no files yet, and 16 threads take time to start
    impl->write_options.disableWAL = true;
    impl->options.durability = Durability::kRelaxed;
  } else {
    TRY(check_for_threads());
    TRY(claim_folder(folder));
    db_options.manual_wal_flush = options.durability == Durability::kRelaxed;
    const bool is_real = !options.file_system;
    impl->log_files = std::make_shared<LogFiles>(
        std::make_shared<DataFiles>(is_real ? rocksdb::FileSystem::Default() : options.file_system, is_real));
    impl->env = rocksdb::NewCompositeEnv(impl->log_files);
  }
  db_options.env = impl->env.get();
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (size_t i = 0; i < kSpaces; ++i) {
    families.emplace_back(kSpaceNames[i], space_options(static_cast<Space>(i), impl->cache));
  }
  // Filter each file of the history at least once a day, even if no other compaction touches it.
  rocksdb::ColumnFamilyOptions& history = families[static_cast<size_t>(Space::kHistory)].options;
  history.compaction_filter_factory = impl->history_filters;
  history.periodic_compaction_seconds = uint64_t{24} * 60 * 60;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  TRY(explain_open(rocksdb::DB::Open(db_options, folder, families, &handles, &db), folder));
  impl->db.reset(db);
  std::copy(handles.begin(), handles.end(), impl->spaces.begin());
  TRY_INTO(const uint64_t last, next_run(*impl));
  // The run's number must be durable before a commit number contains it.
  TRY(impl->sync_log());
  impl->durability = std::make_unique<DurabilityTracker>(DurabilityTracker::Disk{
                                                             .sync = [impl = impl.get()] { return impl->sync_log(); },
                                                             .recover = [impl = impl.get()] { return impl->recover(); },
                                                         },
                                                         last);
  // After such an error RocksDB rejects every write. Start recovery at once, not at the next client's write.
  impl->errors->set_handler(
      [impl = impl.get()](const rocksdb::Status& status) { impl->durability->report_failure(error_of(status)); });
  if (impl->log_files) impl->log_files->set_failure_handler([impl = impl.get()] { return impl->hides_log_failure(); });
  impl->trimmer = std::make_unique<BufferTrimmer>(
      buffers_of(*db, impl->spaces, [impl = impl.get()](Space space) { return impl->flush_space(space); }));
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
  if (CachedReads::missed()) [[unlikely]] {
    durability.finish(number, false);
    return std::unexpected(miss_error());
  }
  CachedReads::allow_waiting();
  if (durability.failed()) {
    durability.finish(number, false);
    return std::unexpected(durability.failure_error());
  }
  const bool waits = waits_for_sync();
  if (waits) {
    for (uint32_t hash : batch.impl_->partitions) durability.mark(number, hash);
  }
  impl_->avoid_log_flush();
  const rocksdb::Status status = [&] {
    const LogGate::Writing writing(impl_->log_gate);
    return impl_->db->Write(impl_->write_options, &batch.impl_->writes);
  }();
  durability.finish(number, status.ok());
  if (!status.ok()) {
    Error error = error_of(status);
    durability.report_failure(error);
    return std::unexpected(std::move(error));
  }
  if (!waits) impl_->logged.fetch_add(1, std::memory_order_acq_rel);
  return waits ? number : 0;
}

void Store::note_superseded(Space space) { impl_->trimmer->note_superseded(static_cast<size_t>(space)); }

Result<void> Store::flush_log() {
  const uint64_t logged = impl_->logged.load(std::memory_order_acquire);
  if (impl_->flushed.load(std::memory_order_acquire) >= logged || impl_->options.in_memory) return {};
  MutexLock lock(impl_->flush_mutex);
  if (impl_->flushed.load(std::memory_order_acquire) >= logged) return {};  // another thread has flushed them
  const uint64_t covered = impl_->logged.load(std::memory_order_acquire);
  impl_->flushing_log.store(true, std::memory_order_relaxed);
  auto result = result_of(impl_->db->FlushWAL(false));
  impl_->flushing_log.store(false, std::memory_order_relaxed);
  // A failed write is hidden from RocksDB, so FlushWAL() may have returned OK.
  if (impl_->durability->failed()) return std::unexpected(impl_->durability->failure_error());
  if (result.has_value()) {
    impl_->flushed.store(covered, std::memory_order_release);
  } else {
    impl_->durability->report_failure(result.error());
  }
  return result;
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
  TRY(flush_log());
  return impl_->durability->wait(commit);
}
Result<void> Store::wait_durable_patiently(uint64_t commit, std::chrono::microseconds patience) {
  TRY(flush_log());
  return impl_->durability->wait_patiently(commit, patience);
}
void Store::when_durable(uint64_t commit, std::move_only_function<void(Result<void>)> then) {
  impl_->durability->when(commit, std::move(then));
}

bool Store::has_waiters() const { return impl_->durability->waiting() > 0; }

void Store::wait_for_callbacks() { impl_->durability->wait_for_callbacks(); }

Result<void> Store::sync() {
  if (impl_->options.in_memory) return {};
  if (impl_->durability->failed()) return std::unexpected(impl_->durability->failure_error());
  auto synced = impl_->sync_log();
  if (!synced.has_value()) impl_->durability->report_failure(synced.error());
  return synced;
}

Result<void> Store::drop_range(Space space, const KeyRange& range) {
  rocksdb::ColumnFamilyHandle* handle = impl_->space(space);
  const rocksdb::Slice begin = slice(range.begin);
  const rocksdb::Slice end = slice(range.end);
  if (impl_->durability->failed()) return std::unexpected(impl_->durability->failure_error());
  // Delete whole files at once. A range tombstone covers the rest, and the compaction removes both.
  const rocksdb::RangePtr whole(&begin, &end);
  Result<void> dropped = result_of(rocksdb::DeleteFilesInRanges(impl_->db.get(), handle, &whole, 1, false));
  if (dropped.has_value()) {
    Batch tombstone(*this);
    tombstone.erase_range(space, range);
    TRY(commit(tombstone));
    rocksdb::CompactRangeOptions compact;
    compact.exclusive_manual_compaction = false;
    // Otherwise CompactRange() would flush the buffer itself while writes are in progress, and those may fail.
    rocksdb::Status status = impl_->flush_space(space);
    if (status.ok()) status = impl_->db->CompactRange(compact, handle, &begin, &end);
    dropped = result_of(status);
  }
  // After an error RocksDB rejects every write. Start recovery at once, not at the next client's write.
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
  TRY(result_of(impl_->flush_space(space)));
  return result_of(impl_->db->CompactRange(compact, impl_->space(space), &begin, &end));
}

}  // namespace trestle
