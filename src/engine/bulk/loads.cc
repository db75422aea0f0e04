#include "engine/bulk/loads.h"

#include <algorithm>
#include <tuple>

#include "base/steady_us.h"
#include "base/test_point.h"
#include "engine/bulk/load_descriptions.h"
#include "engine/bulk/load_errors.h"
#include "engine/bulk/load_source.h"
#include "engine/items/capacity.h"
#include "engine/items/item_changes.h"
#include "engine/items/item_key.h"
#include "engine/parts.h"
#include "engine/tables/dropped_keyspaces.h"
#include "model/limits.h"

namespace trestle {
namespace {

// A load fails after this many consecutive transient failures of its bucket.
constexpr int kFailuresMax = 8;
constexpr int64_t kLoadRetryUs = 250'000;
// How long to wait before retrying when a transaction holds one of the items.
constexpr int64_t kConflictUs = 2'000;
constexpr int64_t kForgetIntervalMs = 60'000;

Result<void> check_loaded_item(const TableDescription& table, ItemView item) {
  TRY(check_batch_item(table, item));
  if (item.size_bytes() > kItemBytesMax) return invalid(kItemTooLarge);
  return {};
}

int64_t put_units(ItemView item) { return static_cast<int64_t>(write_units(item.size_bytes())); }

}  // namespace

// The state of a load in progress that is not stored: its source, and when it may continue.
struct Loads::Reading {
  std::unique_ptr<LoadSource> source;
  int failures = 0;       // consecutive failures of the bucket
  int64_t resume_us = 0;  // when the load may continue
};

Loads::Loads(EngineParts& parts, LoadOptions options)
    : parts_(parts),
      options_(options),
      job_(parts.jobs.add(periodic_job("loads", options.interval_ms, options.pause_factor_max),
                          [this](JobRun& run) { return step(run); })) {}

Result<std::unique_ptr<Loads>> Loads::open(EngineParts& parts, LoadOptions options) {
  std::unique_ptr<Loads> loads(new Loads(parts, options));
  TRY_INTO(loads->catalog_, LoadCatalog::load(*parts.store));
  TRY(loads->forget_orphans());
  loads->forget_old();
  return loads;
}

Loads::~Loads() = default;

// Only sets the status: the job's thread then ends the load.
Result<bool> Loads::cancel(const std::string& arn) {
  uint64_t commit = 0;
  {
    MutexLock lock(status_mutex_);
    const auto load = catalog_->find(arn);
    if (!load || !load->is_under_way()) return false;
    Load next = *load;
    next.status = BulkOperationStatus::kCancelling;
    TRY_INTO(commit, catalog_->write(std::move(next)));
  }
  TRY(parts_.store->wait_durable(commit));
  wake();
  return true;
}

// Older versions stored an import before its table, and may have crashed in between.
Result<void> Loads::forget_orphans() {
  for (const auto& load : catalog_->under_way()) {
    if (load->kind == LoadKind::kImport && !find_table(*load)) TRY(catalog_->forget(*load));
  }
  return {};
}

void Loads::forget_old() {
  const int64_t now_ms = parts_.options.clock->now_ms();
  if (now_ms - forgot_ms_ < kForgetIntervalMs) return;
  forgot_ms_ = now_ms;
  for (const LoadKind kind : {LoadKind::kImport, LoadKind::kBulkPut}) {
    for (const auto& load : catalog_->loads(kind)) {
      // On failure, it is forgotten the next time.
      if (!load->is_under_way() && now_ms - load->ended_ms > kLoadRetentionMs) (void)catalog_->forget(*load);
    }
  }
}

JobOutcome Loads::step(JobRun& run) {
  forget_old();
  bool worked = false;
  bool failed = false;
  int64_t resume_us = INT64_MAX;
  for (const auto& load : catalog_->under_way()) {
    if (run.stopping()) break;
    auto& reading = readings_[load->arn];
    if (!reading) reading = std::make_unique<Reading>();
    if (reading->resume_us > steady_us() && run.is_paced()) {
      resume_us = std::min(resume_us, reading->resume_us);
      continue;
    }
    TRESTLE_TEST_POINT("loads.page");
    (step(*load, *reading, run).has_value() ? worked : failed) = true;
    run.pause();
  }
  std::erase_if(readings_, [&](const auto& entry) {
    const auto load = catalog_->find(entry.first);
    return !load || !load->is_under_way();
  });
  if (worked) return JobOutcome::worked();
  if (failed) return JobOutcome::failed();
  if (resume_us != INT64_MAX) return JobOutcome::later(std::max<int64_t>(0, resume_us - steady_us()));
  return JobOutcome::idle();
}

std::shared_ptr<const TableVersion> Loads::find_table(const Load& load) const {
  auto table = parts_.catalog->find(load.table_name);
  return table && table->description.id == load.table_id ? table : nullptr;
}

Result<void> Loads::step(const Load& load, Reading& reading, JobRun& run) {
  TRY(unsynced_.wait(*parts_.store, run));
  if (load.status == BulkOperationStatus::kCancelling) {
    return end(load, BulkOperationStatus::kCancelled, "Cancelled", "The bulk operation was cancelled");
  }
  const bool is_import = load.kind == LoadKind::kImport;
  const std::shared_ptr<const TableVersion> table = find_table(load);
  if (!table) {
    return is_import ? end(load, BulkOperationStatus::kCancelled, "TableDeleted", "The table was deleted")
                     : end(load, BulkOperationStatus::kFailed, "ResourceNotFound", "Requested resource not found");
  }
  // The process crashed between the last two steps of an import.
  if (is_import && table->description.status != Status::kCreating) return finish(load);
  if (!parts_.options.buckets)
    return fail(load, "S3NoSuchBucket", "The specified bucket does not exist: no buckets are configured (--buckets)");

  Load next = load;
  const LoadPage* page = nullptr;
  if (auto read = read_page(next, *table, reading); read.has_value()) {
    page = *read;
    reading.failures = 0;
  } else {
    const BucketFault& fault = read.error();
    if (fault.kind == BucketFault::Kind::kUnavailable && ++reading.failures < kFailuresMax) {
      reading.resume_us = steady_us() + kLoadRetryUs * reading.failures;
      return {};
    }
    return fail(load, std::string(failure_code(fault.kind)), fault.message);
  }
  TRY_INTO(const bool put, put_page(std::move(next), *page, reading, run));
  if (!put) return {};
  const bool is_last = page->is_last;
  reading.source->done();
  if (!is_last) return {};
  const auto loaded = catalog_->find(load.arn);
  return loaded ? finish(*loaded) : Result<void>();
}

BucketResult<const LoadPage*> Loads::read_page(Load& load, const TableVersion& table, Reading& reading) {
  if (!reading.source) {
    if (load.source.owner && *load.source.owner != parts_.options.account) {
      return bucket_fault(BucketFault::Kind::kAccessDenied, "Access Denied");
    }
    TRY_INTO(auto bucket, parts_.options.buckets->open(load.source.bucket));
    reading.source = std::make_unique<LoadSource>(std::move(bucket), load, table.description);
  }
  if (load.kind == LoadKind::kBulkPut && !load.total_bytes) {
    TRY_INTO(load.total_bytes, reading.source->total_bytes());
  }
  return reading.source->page({.items_max = options_.page_items_max, .bytes_max = options_.page_bytes_max});
}

// Returns false if a transaction holds one of the items, or the table has changed; the page must be retried.
Result<bool> Loads::put_page(Load next, const LoadPage& page, Reading& reading, const JobRun& run) {
  // The bucket may be slow. Nothing may wait for it, so the error object is written before the table is opened.
  const auto checked = find_table(next);
  if (!checked) return false;  // the next step handles it
  const TableDescription& description = checked->description;

  std::vector<LoadError> errors = page.errors;
  std::map<std::string, const Item*> puts;  // the last put of each key
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
  if (!errors.empty() && writes_errors(next)) {
    // An error that cannot be logged is still counted.
    if (write_load_errors(*parts_.options.buckets, next, errors).has_value()) ++next.logs;
  }
  next.failed_items += static_cast<int64_t>(errors.size());
  next.processed_items += page.records;
  next.processed_bytes += next.kind == LoadKind::kImport ? page.bytes : page.input_bytes;
  next.cursor = page.cursor;

  const auto table = parts_.catalog->open_for_write(next.table_name);
  // If the table has changed, the page is put again: its items may be invalid now. The error object is replaced.
  if (!table || &**table != checked.get()) return false;
  const int64_t units_max = next.write_units_max;
  TRY_INTO(const bool committed, commit(std::move(next), **table, puts, run));
  if (!committed) {
    reading.resume_us = steady_us() + kConflictUs;
  } else if (units_max > 0) {
    reading.resume_us = steady_us() + units * 1'000'000 / units_max;
  }
  return committed;
}

Result<bool> Loads::commit(Load next, const TableVersion& table, const std::map<std::string, const Item*>& puts,
                           const JobRun& run) {
  std::vector<std::string> keys;
  for (const auto& [key, item] : puts) keys.push_back(key);
  using Use = TransactionRegistry::Use;
  const auto is_claimed = [&](const std::string& key) { return parts_.transactions->is_claimed(key, Use::kWrite); };
  if (std::ranges::any_of(keys, is_claimed)) return false;

  // The status may have changed: another thread may have cancelled the load.
  MutexLock lock(status_mutex_);
  const auto now = catalog_->find(next.arn);
  if (!now || !now->is_under_way()) return false;
  next.status = now->status;

  // No one else reads or writes the table of an import before it is ACTIVE. Locks are not needed, and would delay
  // writes of other items that share them.
  const bool is_import = next.kind == LoadKind::kImport;
  const auto locks = is_import ? ItemLocks::Guard() : parts_.locks.lock_all(keys);
  std::vector<std::unique_ptr<PinnedBytes>> old_items;  // must outlive `changes`, which refers to them
  ItemChanges changes(parts_);
  if (is_import) changes.batch().set_unread();
  CapacityMeter meter(table.description.name, ReturnConsumedCapacity::kNone);  // loads cost no capacity
  for (const auto& [key, item] : puts) {
    if (parts_.transactions->conflicting_commit(key, Use::kWrite) != 0) return false;
    old_items.push_back(std::make_unique<PinnedBytes>());
    TRY_INTO(const bool found, parts_.store->get(Space::kItems, key, *old_items.back()));
    changes.add(table, key, found ? ItemView(old_items.back()->view()) : ItemView(), item->view(), meter);
    if (next.kind == LoadKind::kBulkPut) count_index_bytes(next, table.description, item->view());
  }
  LoadCatalog::put(next, changes.batch());
  Call call;
  TRY(changes.commit(call));
  unsynced_.add(*parts_.store, call.commit, changes.batch().size_bytes(), run);
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
  const auto table = parts_.catalog->find(load.table_name);
  if (table && table->description.id == load.table_id && table->description.status == Status::kCreating) {
    const auto activate = [&](TableDescription now) -> Result<TableDescription> {
      if (now.id != load.table_id)
        return failure(ErrorCode::kResourceNotFound, "The table was replaced by another table");
      now.status = Status::kActive;
      for (IndexDescription& index : now.indexes) {
        index.status = Status::kActive;
        index.backfilling = false;
      }
      for (VectorIndexDescription& index : now.vector_indexes) index.status = Status::kActive;
      return now;
    };
    const auto changed = parts_.catalog->change(load.table_name, activate);
    parts_.vectors->refresh();  // even if the outcome is unknown: the table may be ACTIVE
    TRY(changed);
  }
  if (load.failed_items == 0) return end(load, BulkOperationStatus::kCompleted, {}, {});
  return end(load, BulkOperationStatus::kFailed, "ItemValidationError",
             "Some of the items failed validation checks and were not imported. Please check CloudWatch error logs for "
             "more details.");
}

// The table of a failed import is deleted; the items of a bulk put remain.
Result<void> Loads::fail(const Load& load, std::string code, std::string message) {
  const auto table = parts_.catalog->find(load.table_name);
  if (load.kind == LoadKind::kImport && table && table->description.id == load.table_id) {
    const auto removed =
        parts_.catalog->remove(load.table_name, [&](const TableVersion& newest) -> Result<std::optional<Backup>> {
          if (newest.description.id != load.table_id) return failure(ErrorCode::kResourceNotFound, "Table not found");
          return std::nullopt;
        });
    start_freeing(parts_);
    TRY(removed);
  }
  return end(load, BulkOperationStatus::kFailed, std::move(code), std::move(message));
}

Result<void> Loads::end(const Load& load, BulkOperationStatus status, std::string code, std::string message) {
  TRESTLE_TEST_POINT("loads.end");
  uint64_t commit = 0;
  {
    MutexLock lock(status_mutex_);
    const auto now = catalog_->find(load.arn);
    if (!now) return {};
    Load next = *now;
    next.status = status;
    next.ended_ms = parts_.options.clock->now_ms();
    next.failure_code = std::move(code);
    next.failure_message = std::move(message);
    TRY_INTO(commit, catalog_->write(std::move(next)));
  }
  return parts_.store->wait_durable(commit);
}

}  // namespace trestle
