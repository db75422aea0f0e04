#include "engine/loads.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <tuple>

#include "base/steady_us.h"
#include "engine/engine.h"
#include "engine/item_changes.h"
#include "engine/item_key.h"
#include "engine/load_descriptions.h"
#include "engine/load_errors.h"
#include "engine/load_source.h"
#include "engine/pace.h"
#include "model/limits.h"

namespace trestle {
namespace {

// How often a load may fail in a row to read its bucket, where that may pass, before it is given up.
constexpr int kFailuresMax = 8;
constexpr int64_t kLoadRetryUs = 250'000;
// For how long to wait for items that a transaction has.
constexpr int64_t kConflictUs = 2'000;

Result<void> check_loaded_item(const TableDescription& table, ItemView item) {
  TRY(check_batch_item(table, item));
  if (item.size_bytes() > kItemBytesMax) return invalid(kItemTooLarge);
  return {};
}

int64_t put_units(ItemView item) {
  return std::max<int64_t>(1, (static_cast<int64_t>(item.size_bytes()) + 1023) / 1024);
}

}  // namespace

// A load that is read: its place in its objects, and when it may go on.
struct Loads::Job {
  std::unique_ptr<LoadSource> source;
  int failures = 0;       // of its bucket, in a row
  int64_t resume_us = 0;  // it rests until then
};

Loads::Loads(Engine& engine, LoadOptions options) : engine_(engine), options_(options) {}

Result<std::unique_ptr<Loads>> Loads::open(Engine& engine, LoadOptions options) {
  std::unique_ptr<Loads> loads(new Loads(engine, options));
  TRY_INTO(loads->catalog_, LoadCatalog::load(*engine.store_));
  TRY(loads->forget_lost());
  if (options.interval_ms > 0) loads->thread_ = std::thread([raw = loads.get()] { raw->run(); });
  return loads;
}

Loads::~Loads() { stop(); }

void Loads::stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Loads::wake() {
  {
    MutexLock lock(mutex_);
    woken_ = true;
  }
  wake_.notify_all();
}

// The thread that loads notices, and ends the load.
Result<bool> Loads::cancel(const std::string& arn) {
  {
    MutexLock lock(status_mutex_);
    const auto load = catalog_->find(arn);
    if (!load || !load->is_under_way()) return false;
    Load next = *load;
    next.status = BulkOperationStatus::kCancelling;
    TRY(catalog_->save(std::move(next)));
  }
  wake();
  return true;
}

void Loads::run() {
  pthread_setname_np(pthread_self(), "loads");
  Pace pace(options_.rest_factor_max);
  while (!stopping_) {
    const bool worked = step_jobs(&pace);
    MutexLock lock(mutex_);
    if (!worked && !woken_ && !stopping_) wake_.wait_for(mutex_, std::chrono::milliseconds(options_.interval_ms));
    woken_ = false;
  }
}

void Loads::rest(int64_t us) {
  MutexLock lock(mutex_);
  if (!stopping_) wake_.wait_for(mutex_, std::chrono::microseconds(us));
}

void Loads::finish_jobs() {
  while (!stopping_ && step_jobs(nullptr)) continue;
}

// What a crash left of imports that were about to begin, and what is too old to be told of.
Result<void> Loads::forget_lost() {
  const int64_t now_ms = engine_.options_.clock->now_ms();
  for (const LoadKind kind : {LoadKind::kImport, LoadKind::kBulkPut}) {
    for (const auto& load : catalog_->loads(kind)) {
      const bool never_began = kind == LoadKind::kImport && load->is_under_way() && !find_table(*load);
      const bool is_old = !load->is_under_way() && now_ms - load->ended_ms > kLoadKeptMs;
      if (never_began || is_old) TRY(catalog_->forget(*load));
    }
  }
  return {};
}

bool Loads::step_jobs(Pace* pace) {
  MutexLock stepping(step_mutex_);
  bool worked = false;
  for (const auto& load : catalog_->under_way()) {
    if (stopping_) break;
    auto& job = jobs_[load->arn];
    if (!job) job = std::make_unique<Job>();
    const int64_t began_us = steady_us();
    if (pace != nullptr && job->resume_us > began_us) {
      // Others come first; with none, the thread rests rather than asks again at once.
      rest(std::min<int64_t>(job->resume_us - began_us, 10'000));
      worked = true;
      continue;
    }
    if (pace != nullptr) pace->begin();
    worked = step(*load, *job).has_value() || worked;
    if (pace != nullptr) rest(pace->rest_us());
  }
  std::erase_if(jobs_, [&](const auto& entry) {
    const auto load = catalog_->find(entry.first);
    return !load || !load->is_under_way();
  });
  return worked;
}

std::shared_ptr<const TableVersion> Loads::find_table(const Load& load) const {
  auto table = engine_.catalog_->find(load.table_name);
  return table && table->description.id == load.table_id ? table : nullptr;
}

Result<void> Loads::step(const Load& load, Job& job) {
  if (load.status == BulkOperationStatus::kCancelling) {
    return end(load, BulkOperationStatus::kCancelled, "Cancelled", "The bulk operation was cancelled");
  }
  const bool is_import = load.kind == LoadKind::kImport;
  std::shared_ptr<const TableVersion> table = find_table(load);
  if (!table) {
    MutexLock lock(engine_.load_mutex_);  // whoever begins an import holds it until the load has its table
    table = find_table(load);
    if (!catalog_->find(load.arn)) return {};  // it came to nothing
  }
  if (!table) {
    return is_import ? end(load, BulkOperationStatus::kCancelled, "TableDeleted", "The table was deleted")
                     : end(load, BulkOperationStatus::kFailed, "ResourceNotFound", "Requested resource not found");
  }
  // A stop came between the two last steps of an import.
  if (is_import && table->description.status != Status::kCreating) return finish(load);
  if (!engine_.options_.buckets)
    return fail(load, "S3NoSuchBucket", "The specified bucket does not exist: there are no buckets here (--buckets)");

  Load next = load;
  const LoadPage* page = nullptr;
  if (auto read = read_page(next, *table, job); read.has_value()) {
    page = *read;
    job.failures = 0;
  } else {
    const BucketFault& fault = read.error();
    if (fault.kind == BucketFault::Kind::kUnavailable && ++job.failures < kFailuresMax) {
      job.resume_us = steady_us() + kLoadRetryUs * job.failures;
      return {};
    }
    return fail(load, std::string(failure_code(fault.kind)), fault.message);
  }
  TRY_INTO(const bool put, put_page(std::move(next), *page, job));
  if (!put) return {};
  const bool is_last = page->is_last;
  job.source->done();
  if (!is_last) return {};
  const auto loaded = catalog_->find(load.arn);
  return loaded ? finish(*loaded) : Result<void>();
}

BucketResult<const LoadPage*> Loads::read_page(Load& load, const TableVersion& table, Job& job) {
  if (!job.source) {
    if (load.source.owner && *load.source.owner != engine_.options_.account) {
      return bucket_fault(BucketFault::Kind::kAccessDenied, "Access Denied");
    }
    TRY_INTO(auto bucket, engine_.options_.buckets->open(load.source.bucket));
    job.source = std::make_unique<LoadSource>(std::move(bucket), load, table.description);
  }
  if (load.kind == LoadKind::kBulkPut && !load.total_bytes) {
    TRY_INTO(load.total_bytes, job.source->total_bytes());
  }
  return job.source->page({.items_max = options_.page_items_max, .bytes_max = options_.page_bytes_max});
}

// False: a transaction has one of the items; later, then.
Result<bool> Loads::put_page(Load next, const LoadPage& page, Job& job) {
  const auto table = engine_.catalog_->open_for_write(next.table_name);
  if (!table || (*table)->description.id != next.table_id) return false;  // the next step sees that too
  const TableDescription& description = (*table)->description;

  std::vector<LoadError> errors = page.errors;
  std::map<std::string, const Item*> puts;  // of each key the last
  int64_t units = 0;
  for (const LoadPage::Entry& entry : page.entries) {
    if (auto fits = check_loaded_item(description, entry.item); !fits.has_value()) {
      errors.push_back({.object = entry.object, .record = entry.record, .message = std::move(fits).error().message});
      continue;
    }
    puts[encode_table_key(description.keyspace, description.key, entry.item)] = &entry.item;
    next.table_bytes += static_cast<int64_t>(entry.item.size_bytes());
    units += put_units(entry.item);
    ++next.written_items;
  }
  std::ranges::sort(errors, {}, [](const LoadError& error) { return std::tie(error.object, error.record); });
  if (!errors.empty() && tells_errors(next)) {
    // What cannot be told is counted still.
    if (write_load_errors(*engine_.options_.buckets, next, errors).has_value()) ++next.logs;
  }
  next.failed_items += static_cast<int64_t>(errors.size());
  next.processed_items += page.records;
  next.processed_bytes += next.kind == LoadKind::kImport ? page.bytes : page.input_bytes;
  next.cursor = page.cursor;

  const int64_t units_max = next.write_units_max;
  TRY_INTO(const bool committed, commit(std::move(next), **table, puts));
  if (!committed) {
    job.resume_us = steady_us() + kConflictUs;
  } else if (units_max > 0) {
    job.resume_us = steady_us() + units * 1'000'000 / units_max;
  }
  return committed;
}

Result<bool> Loads::commit(Load next, const TableVersion& table, const std::map<std::string, const Item*>& puts) {
  std::vector<std::string> keys;
  for (const auto& [key, item] : puts) keys.push_back(key);
  using Use = TransactionRegistry::Use;
  const auto is_claimed = [&](const std::string& key) { return engine_.transactions_->is_claimed(key, Use::kWrite); };
  if (std::ranges::any_of(keys, is_claimed)) return false;

  // The status may have changed since: a load is cancelled by another thread.
  MutexLock lock(status_mutex_);
  const auto now = catalog_->find(next.arn);
  if (!now || !now->is_under_way()) return false;
  next.status = now->status;

  const auto locks = engine_.locks_.lock_all(keys);
  std::vector<std::unique_ptr<PinnedBytes>> olds;  // outlive the changes that look at them
  ItemChanges changes(engine_);
  CapacityMeter meter(table.description.name, ReturnConsumedCapacity::kNone);  // loads cost no capacity
  for (const auto& [key, item] : puts) {
    if (engine_.transactions_->in_the_way(key, Use::kWrite) != 0) return false;
    olds.push_back(std::make_unique<PinnedBytes>());
    TRY_INTO(const bool found, engine_.store_->get(Space::kItems, key, *olds.back()));
    changes.add(table, key, found ? ItemView(olds.back()->view()) : ItemView(), item->view(), meter);
    if (next.kind == LoadKind::kBulkPut) count_index_bytes(next, table.description, item->view());
  }
  LoadCatalog::put(next, changes.batch());
  Call call;
  TRY(changes.commit(call));
  catalog_->publish(std::move(next));
  return true;
}

void Loads::count_index_bytes(Load& load, const TableDescription& table, ItemView item) {
  for (auto& [name, bytes] : load.index_bytes) {
    const IndexDescription* index = table.index(std::string_view(name).substr(1));
    if (index == nullptr) continue;
    if (const auto entry = index_entry(table, *index, item)) bytes += static_cast<int64_t>(entry->item.size_bytes());
  }
}

Result<void> Loads::finish(const Load& load) {
  if (load.kind == LoadKind::kBulkPut) {
    return end(load,
               load.failed_items == 0 ? BulkOperationStatus::kCompleted : BulkOperationStatus::kCompletedWithErrors, {},
               {});
  }
  const auto table = engine_.catalog_->find(load.table_name);
  if (table && table->description.id == load.table_id && table->description.status == Status::kCreating) {
    TRY(engine_.catalog_->change(load.table_name, [](TableDescription now) -> Result<TableDescription> {
      now.status = Status::kActive;
      for (IndexDescription& index : now.indexes) {
        index.status = Status::kActive;
        index.backfilling = false;
      }
      for (VectorIndexDescription& index : now.vector_indexes) index.status = Status::kActive;
      return now;
    }));
  }
  if (load.failed_items == 0) return end(load, BulkOperationStatus::kCompleted, {}, {});
  return end(load, BulkOperationStatus::kFailed, "ItemValidationError",
             "Some of the items failed validation checks and were not imported. Please check CloudWatch error logs for "
             "more details.");
}

// The table of an import that cannot be read goes; what a bulk put has put stays.
Result<void> Loads::fail(const Load& load, std::string code, std::string message) {
  const auto table = engine_.catalog_->find(load.table_name);
  if (load.kind == LoadKind::kImport && table && table->description.id == load.table_id) {
    TRY(engine_.catalog_->remove(load.table_name));
    engine_.start_freeing();
  }
  return end(load, BulkOperationStatus::kFailed, std::move(code), std::move(message));
}

Result<void> Loads::end(const Load& load, BulkOperationStatus status, std::string code, std::string message) {
  MutexLock lock(status_mutex_);
  const auto now = catalog_->find(load.arn);
  if (!now) return {};
  Load next = *now;
  next.status = status;
  next.ended_ms = engine_.options_.clock->now_ms();
  next.failure_code = std::move(code);
  next.failure_message = std::move(message);
  return catalog_->save(std::move(next));
}

}  // namespace trestle
