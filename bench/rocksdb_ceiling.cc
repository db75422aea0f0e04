// The storage ceiling: what RocksDB does when called directly, with no protocol and no DynamoDB above it.
//
//   rocksdb_ceiling FOLDER ITEMS SECONDS [NAME]...      prints CSV lines: name,threads,per_second
//
// Names, of which all are measured when none is given:
// read    GetItem's share: one thread, random keys, 200 bytes a value, 256 MB of cache
// write   relaxed PutItem's share: one thread, not synced
// sync    durable PutItem's share: 32 threads, each write synced before it returns; RocksDB groups them
// Everything lives in FOLDER, which must be empty or absent.
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr size_t kValueBytes = 200;

void must(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "rocksdb_ceiling: %s\n", status.ToString().c_str());
  std::exit(1);
}

class Ceiling {
 public:
  Ceiling(const std::string& folder, uint64_t items, double seconds) : items_(items), seconds_(seconds) {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.error_if_exists = true;
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = rocksdb::NewLRUCache(256u << 20);
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::DB* db = nullptr;
    must(rocksdb::DB::Open(options, folder, &db));
    db_.reset(db);
    std::mt19937_64 random(1);
    for (char& c : letters_) c = static_cast<char>('!' + random() % 64);
  }

  void load() {
    std::mt19937_64 random(2);
    for (uint64_t item = 0; item < items_;) {
      rocksdb::WriteBatch batch;
      for (int i = 0; i < 100 && item < items_; ++i, ++item) must(batch.Put(key(item), value(random)));
      must(db_->Write({}, &batch));
    }
    must(db_->Flush({}));
  }

  // Runs the step on every thread for the asked time, and prints how often it ran.
  void measure(const char* name, int threads, const std::function<void(std::mt19937_64&)>& step) {
    std::atomic<bool> stop = false;
    std::atomic<uint64_t> total = 0;
    const auto started = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> workers;
      for (int thread = 0; thread < threads; ++thread) {
        workers.emplace_back([&, thread] {
          std::mt19937_64 random(static_cast<uint64_t>(100 + thread));
          uint64_t count = 0;
          while (!stop.load(std::memory_order_relaxed)) {
            step(random);
            ++count;
          }
          total += count;
        });
      }
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
      stop = true;
    }
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    std::printf("%s,%d,%.0f\n", name, threads, static_cast<double>(total) / elapsed);
    std::fflush(stdout);
  }

  void read(std::mt19937_64& random) {
    thread_local rocksdb::PinnableSlice found;
    found.Reset();
    must(db_->Get({}, db_->DefaultColumnFamily(), key(random() % items_), &found));
  }

  void write(std::mt19937_64& random, bool sync) {
    rocksdb::WriteOptions options;
    options.sync = sync;
    must(db_->Put(options, key(random() % items_), value(random)));
  }

 private:
  static std::string key(uint64_t item) {
    std::string text(11, 'k');
    for (size_t at = text.size(); at > 1; item /= 10) text[--at] = static_cast<char>('0' + item % 10);
    return text;
  }

  rocksdb::Slice value(std::mt19937_64& random) const {
    return {letters_.data() + random() % (letters_.size() - kValueBytes), kValueBytes};
  }

  const uint64_t items_;
  const double seconds_;
  std::unique_ptr<rocksdb::DB> db_;
  std::string letters_ = std::string(64u << 10, '\0');
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: rocksdb_ceiling FOLDER ITEMS SECONDS [read|write|sync]...\n");
    return 2;
  }
  const std::set<std::string> names(argv + 4, argv + argc);
  const auto asked = [&](const char* name) { return names.empty() || names.contains(name); };
  Ceiling ceiling(argv[1], std::strtoull(argv[2], nullptr, 10), std::atof(argv[3]));
  ceiling.load();
  if (asked("read")) ceiling.measure("read", 1, [&](std::mt19937_64& random) { ceiling.read(random); });
  if (asked("write")) ceiling.measure("write", 1, [&](std::mt19937_64& random) { ceiling.write(random, false); });
  if (asked("sync")) ceiling.measure("sync", 32, [&](std::mt19937_64& random) { ceiling.write(random, true); });
  return 0;
}
