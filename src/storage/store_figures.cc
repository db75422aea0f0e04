#include <rocksdb/cache.h>
#include <rocksdb/statistics.h>

#include <algorithm>

#include "storage/store_impl.h"

namespace trestle {

// RocksDB counts the entries of write buffers. The entries of files are estimated from the range's share of the files'
// bytes.
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
         .help = "Bytes in the cache, including write buffers",
         .value = static_cast<double>(impl_->cache->GetUsage())});
  visit({.name = "cache_capacity_bytes",
         .help = "Capacity of the cache: --cache-mb",
         .value = static_cast<double>(impl_->cache->GetCapacity())});
  ticker("cache_hits_total", "Blocks that a read found in the cache", rocksdb::BLOCK_CACHE_HIT);
  ticker("cache_misses_total", "Blocks that a read had to fetch from a file", rocksdb::BLOCK_CACHE_MISS);
  property("memtable_bytes", "Size of write buffers, including those being flushed", Properties::kCurSizeAllMemTables);
  property("live_data_bytes", "Estimated size of live data", Properties::kEstimateLiveDataSize);
  property("files_bytes", "Size of the data files", Properties::kTotalSstFilesSize);
  property("table_readers_bytes", "Memory used by open data files outside of the cache",
           Properties::kEstimateTableReadersMem);
  property("pending_compaction_bytes", "Estimated bytes that compaction has yet to rewrite",
           Properties::kEstimatePendingCompactionBytes);
  uint64_t running = 0;  // a property of the whole database, so any space will do
  impl_->db->GetIntProperty(impl_->space(Space::kItems), Properties::kNumRunningCompactions, &running);
  visit({.name = "running_compactions", .help = "Compactions in progress", .value = static_cast<double>(running)});
  ticker("compaction_read_bytes_total", "Bytes that compactions read", rocksdb::COMPACT_READ_BYTES);
  ticker("compaction_written_bytes_total", "Bytes that compactions wrote", rocksdb::COMPACT_WRITE_BYTES);
  ticker("flush_written_bytes_total", "Bytes that flushes of write buffers wrote", rocksdb::FLUSH_WRITE_BYTES);
  ticker("stall_seconds_total", "Time that writes were stalled by flushes and compactions", rocksdb::STALL_MICROS,
         1e-6);
  visit({.name = "hidden_entries_passed_total",
         .help = "Superseded or deleted entries of write buffers that readers had to skip",
         .only_grows = true,
         .value = static_cast<double>(impl_->trimmer->skipped_entries())});
  visit({.name = "buffers_written_out_early_total",
         .help = "Write buffers flushed early because most of their entries were superseded or deleted",
         .only_grows = true,
         .value = static_cast<double>(impl_->trimmer->early_flushes())});
  visit({.name = "sync_waiters",
         .help = "Responses waiting for a sync of the log",
         .value = static_cast<double>(impl_->durability->waiting())});
  visit({.name = "syncs_total",
         .help = "Syncs of the log",
         .only_grows = true,
         .value = static_cast<double>(impl_->durability->sync_count())});
  visit({.name = "sync_seconds_total",
         .help = "Total time of those syncs",
         .only_grows = true,
         .value = static_cast<double>(impl_->durability->sync_us()) * 1e-6});
}

}  // namespace trestle
