// The storage ceiling: the speed of RocksDB when called directly, without a protocol or DynamoDB's semantics.
//
//   rocksdb_ceiling FOLDER ITEMS SECONDS [NAME]...      prints CSV lines: name,threads,per_second
//
// Names (default: all):
// read    the storage part of GetItem: one thread, random keys, 200 bytes per value, 256 MB of cache
// write   the storage part of a relaxed PutItem: one thread, not synced
// sync    the storage part of a durable PutItem: 32 threads, each write synced before it returns; RocksDB groups them
// batch   the storage part of imports and backfills: one thread, batches of 100 writes, not synced; counts writes
// iterate the storage part of Query and Scan: one thread, 100 entries in order from a random key; counts entries per
//         second of CPU time
// large   the storage part of PutItem of 100 KB: one thread, a file that is synced every 16 values; counts values
// All data is in FOLDER, which must be empty or not exist.
#include <fcntl.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>
#include <unistd.h>

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
constexpr uint64_t kTogether = 100;  // writes per batch, entries per iteration
constexpr size_t kLargeBytes = 100'000;
constexpr int kLargeTogether = 16;  // as many as the benchmark's connections send concurrently

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
      for (uint64_t i = 0; i < kTogether && item < items_; ++i, ++item) must(batch.Put(key(item), value(random)));
      must(db_->Write({}, &batch));
    }
    must(db_->Flush({}));
  }

  // Runs the step on every thread for the given time, and prints how often it ran per second, multiplied by `weight`.
  void measure(const char* name, int threads, const std::function<void(std::mt19937_64&)>& step, uint64_t weight = 1) {
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
    std::printf("%s,%d,%.0f\n", name, threads, static_cast<double>(total * weight) / elapsed);
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

  void write_batch(std::mt19937_64& random) {
    rocksdb::WriteBatch batch;
    for (uint64_t i = 0; i < kTogether; ++i) must(batch.Put(key(random() % items_), value(random)));
    must(db_->Write({}, &batch));
  }

  void iterate(std::mt19937_64& random) {
    const std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator({}));
    iterator->Seek(key(random() % (items_ - kTogether)));
    size_t bytes = 0;
    for (uint64_t i = 0; i < kTogether; ++i, iterator->Next())
      bytes += iterator->key().size() + iterator->value().size();
    must(iterator->status());
    if (bytes == 0) std::abort();
  }

  void iterate_on_one_core() {
    const auto cpu_seconds = [] {
      timespec time;
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    };
    std::mt19937_64 random(100);
    const double started = cpu_seconds();
    uint64_t entries = 0;
    double elapsed = 0;
    for (; elapsed < seconds_; elapsed = cpu_seconds() - started) {
      for (int i = 0; i < 100; ++i) iterate(random);
      entries += 100 * kTogether;
    }
    std::printf("iterate,1,%.0f\n", static_cast<double>(entries) / elapsed);
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

void append_large(const std::string& folder, double seconds) {
  const std::string path = folder + "/large";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const std::string value(kLargeBytes, 'x');
  uint64_t values = 0;
  const auto started = std::chrono::steady_clock::now();
  double elapsed = 0;
  while (elapsed < seconds) {
    for (int i = 0; i < kLargeTogether; ++i) {
      if (write(file, value.data(), value.size()) != static_cast<ssize_t>(value.size())) std::abort();
    }
    if (fdatasync(file) != 0) std::abort();
    values += kLargeTogether;
    elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  }
  close(file);
  unlink(path.c_str());
  std::printf("large,1,%.0f\n", static_cast<double>(values) / elapsed);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: rocksdb_ceiling FOLDER ITEMS SECONDS [read|write|sync|batch|iterate|large]...\n");
    return 2;
  }
  const std::set<std::string> names(argv + 4, argv + argc);
  const auto asked = [&](const char* name) { return names.empty() || names.contains(name); };
  Ceiling ceiling(argv[1], std::strtoull(argv[2], nullptr, 10), std::atof(argv[3]));
  ceiling.load();
  if (asked("read")) ceiling.measure("read", 1, [&](std::mt19937_64& random) { ceiling.read(random); });
  if (asked("write")) ceiling.measure("write", 1, [&](std::mt19937_64& random) { ceiling.write(random, false); });
  if (asked("sync")) ceiling.measure("sync", 32, [&](std::mt19937_64& random) { ceiling.write(random, true); });
  if (asked("iterate")) ceiling.iterate_on_one_core();
  if (asked("batch")) {
    ceiling.measure("batch", 1, [&](std::mt19937_64& random) { ceiling.write_batch(random); }, kTogether);
  }
  if (asked("large")) append_large(argv[1], std::atof(argv[3]));
  return 0;
}
