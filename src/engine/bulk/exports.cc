#include "engine/bulk/exports.h"

#include <algorithm>

#include "base/steady_us.h"
#include "base/test_point.h"
#include "engine/bulk/export_job.h"
#include "engine/parts.h"
#include "engine/recovery/history_holds.h"

namespace trestle {
namespace {

constexpr int64_t kExportRetentionMs = int64_t{90} * 24 * 60 * 60 * 1000;
constexpr int64_t kExportRetryUs = 200'000;
constexpr int kFileRestartsMax = 5;

bool is_transient(const ExportFailure& failure_cause) {
  if (failure_cause.fault) return failure_cause.fault->kind == BucketFault::Kind::kUnavailable;
  return failure_cause.error->code == ErrorCode::kServiceUnavailable;
}

}  // namespace

Exports::Exports(EngineParts& parts, ExportOptions options)
    : parts_(parts),
      options_(options),
      catalog_(*parts.store),
      job_(parts.jobs.add(periodic_job("exports", options.interval_ms), [this](JobRun& run) { return step(run); })) {}

Result<std::unique_ptr<Exports>> Exports::open(EngineParts& parts, ExportOptions options) {
  std::unique_ptr<Exports> exports(new Exports(parts, options));
  TRY(exports->catalog_.load());
  exports->release_orphaned_holds();
  exports->remove_old_exports();
  return exports;
}

Exports::~Exports() = default;

Result<void> Exports::add(Export export_) {
  auto saved = catalog_.save(std::move(export_));
  job_.wake();
  return saved;
}

// Releases holds of exports that were starting or ending when the process crashed.
void Exports::release_orphaned_holds() {
  for (const auto& hold : parts_.catalog->recovery().holds()) {
    if (!hold->owner.starts_with("export ")) continue;
    const auto exports = catalog_.all();
    const bool is_needed = std::ranges::any_of(exports, [&](const auto& export_) {
      return export_->hold == hold->id && export_->description.status == ExportStatus::kInProgress;
    });
    if (!is_needed) (void)release_history(parts_, hold->id);
  }
}

void Exports::remove_old_exports() {
  const int64_t now_ms = parts_.options.clock->now_ms();
  for (const auto& export_ : catalog_.all()) {
    const ExportDescription& description = export_->description;
    if (description.status == ExportStatus::kInProgress || description.start_ms > now_ms - kExportRetentionMs) continue;
    (void)catalog_.remove(description.arn);
  }
}

JobOutcome Exports::step(JobRun& run) {
  bool worked = false;
  bool waits = false;
  for (const auto& export_ : catalog_.all()) {
    const std::string& arn = export_->description.arn;
    if (export_->description.status == ExportStatus::kInProgress) slots_.try_emplace(arn);
    const auto slot = slots_.find(arn);
    if (slot == slots_.end()) continue;
    if (run.stopping()) break;
    TRESTLE_TEST_POINT("exports.page");
    (step(*export_, slot->second) ? worked : waits) = true;
    if (slot->second.has_ended) slots_.erase(slot);
    run.pause();
  }
  if (options_.interval_ms > 0 && steady_us() - old_exports_removed_us_ >= options_.interval_ms * 1000) {
    remove_old_exports();
    old_exports_removed_us_ = steady_us();
  }
  if (worked) return JobOutcome::worked();
  return waits ? JobOutcome::later(kExportRetryUs) : JobOutcome::idle();
}

bool Exports::step(const Export& export_, Slot& slot) {
  if (steady_us() < slot.not_before_us) return false;
  const auto is_in_progress = [&] {
    const auto now = catalog_.find(export_.description.arn);
    return now && now->description.status == ExportStatus::kInProgress;
  };
  Result<void> done;
  if (is_in_progress()) done = work(export_, slot);
  // Also if the work has failed: the end may have been written and not synced.
  if (!is_in_progress()) done = end(export_, slot);
  if (done.has_value()) {
    slot.failures = 0;
    return true;
  }
  slot.not_before_us = steady_us() + std::max(kExportRetryUs, retry_pause_us(++slot.failures));
  return false;
}

Result<void> Exports::work(const Export& export_, Slot& slot) {
  slot.obsolete.clear();  // an earlier failure was not recorded, and the export may still be completed
  if (export_.files != slot.files) {
    slot.files = export_.files;
    slot.restarts = 0;
  }
  auto done = step_job(export_, slot);
  if (done.has_value()) {
    slot.failing_since_us = 0;
    return {};
  }
  slot.job.reset();  // the unfinished file is discarded; the next job writes it again
  if (slot.failing_since_us == 0 && ++slot.restarts > kFileRestartsMax)
    slot.failing_since_us = 1;  // long ago: do not retry
  ExportFailure& failure_cause = done.error();
  const int64_t now_us = steady_us();
  if (slot.failing_since_us == 0) slot.failing_since_us = now_us;
  if (is_transient(failure_cause) && now_us - slot.failing_since_us < options_.retries_ms * 1000) {
    return failure(ErrorCode::kServiceUnavailable, "The export is retried");
  }
  if (failure_cause.fault) {
    return fail(export_, slot, std::string(failure_code(failure_cause.fault->kind)), failure_cause.fault->message);
  }
  return fail(export_, slot, "UNKNOWN", failure_cause.error->message);
}

// Returns true if the export is COMPLETED.
ExportResult<bool> Exports::step_job(const Export& export_, Slot& slot) {
  const auto from_store = [](Error error) { return std::unexpected(ExportFailure{.error = std::move(error)}); };
  if (!slot.job) {
    const auto hold = parts_.catalog->recovery().hold(export_.hold);
    if (!hold) {
      return from_store(
          {.code = ErrorCode::kInternal, .message = "The history of the table at the export time is not available."});
    }
    auto job = ExportJob::make({.store = *parts_.store,
                                .catalog = catalog_,
                                .buckets = parts_.options.buckets.get(),
                                .account = parts_.options.account,
                                .file_bytes_max = options_.file_bytes_max},
                               export_, *hold);
    if (!job.has_value()) return from_store(job.error());
    slot.job = std::move(*job);
  }
  TRY_INTO(const bool done, slot.job->step());
  if (!done) return false;
  TRY(slot.job->finish(parts_.options.clock->now_ms()));
  return true;
}

// Makes the export FAILED. Its data files are useless without a manifest.
Result<void> Exports::fail(const Export& export_, Slot& slot, std::string code, std::string message) {
  const auto current = catalog_.find(export_.description.arn);
  Export next = current ? *current : export_;
  TRY_INTO(const auto files, catalog_.files(next.description.arn));
  for (const ExportFile& file : files) slot.obsolete.push_back(file.name);
  next.description.status = ExportStatus::kFailed;
  next.description.end_ms = parts_.options.clock->now_ms();
  next.description.item_count.reset();
  next.description.billed_size_bytes.reset();
  next.description.failure_code = std::move(code);
  next.description.failure_message = std::move(message);
  return catalog_.save_end(std::move(next));
}

// Until the end is durable, a crash may undo it, and the export would then continue. Files that cannot be erased
// remain.
Result<void> Exports::end(const Export& export_, Slot& slot) {
  TRY(parts_.store->sync());
  if (!slot.obsolete.empty() && parts_.options.buckets) {
    auto bucket = parts_.options.buckets->open(export_.description.s3_bucket);
    for (const std::string& name : slot.obsolete) {
      if (bucket.has_value()) (void)(*bucket)->erase(name);
    }
  }
  (void)release_history(parts_, export_.hold);
  slot.has_ended = true;
  return {};
}

}  // namespace trestle
