#include "engine/bulk/export_job.h"

#include "base/test_point.h"
#include "exchange/export_layout.h"
#include "exchange/export_line.h"

namespace trestle {
namespace {

// The minimum billed size of an incremental export.
constexpr int64_t kBilledMin = 10'000'000;

template <class T>
ExportResult<T> from_bucket(BucketResult<T> result) {
  if (!result.has_value()) return std::unexpected(ExportFailure{.fault = std::move(result).error()});
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return std::move(*result);
  }
}
template <class T>
ExportResult<T> from_store(Result<T> result) {
  if (!result.has_value()) return std::unexpected(ExportFailure{.error = std::move(result).error()});
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return std::move(*result);
  }
}

// The last moment that the export covers: its export time, or the last millisecond of its period.
HistoryMoment moment_of(const ExportDescription& export_) {
  return {.time_ms = export_.period ? *export_.period->to_ms - 1 : *export_.export_ms};
}

}  // namespace

ExportJob::ExportJob(Place place, const Export& saved, const HistoryHold& hold)
    : place_(std::move(place)),
      export_(std::make_unique<Export>(saved)),
      table_(place_.store, hold.keyspace, hold.history_keyspace, moment_of(saved.description)),
      cursor_(saved.cursor) {}

Result<std::unique_ptr<ExportJob>> ExportJob::make(Place place, const Export& saved, const HistoryHold& hold) {
  std::unique_ptr<ExportJob> job(new ExportJob(std::move(place), saved, hold));
  TRY_INTO(job->selection_, ExportSelection::make(job->export_->description.filter));
  return job;
}

ExportResult<void> ExportJob::open() {
  const ExportDescription& description = export_->description;
  if (place_.buckets == nullptr) {
    return std::unexpected(ExportFailure{.fault = BucketFault{.kind = BucketFault::Kind::kNoSuchBucket,
                                                              .message = "The specified bucket does not exist"}});
  }
  if (description.s3_bucket_owner && *description.s3_bucket_owner != place_.account) {
    return std::unexpected(
        ExportFailure{.fault = BucketFault{.kind = BucketFault::Kind::kAccessDenied, .message = "Access Denied"}});
  }
  TRY_INTO(bucket_, from_bucket(place_.buckets->open(description.s3_bucket)));
  return write_object(export_object(description, "_started"), {});
}

ExportResult<void> ExportJob::write_object(std::string_view name, std::string_view text) {
  TRY_INTO(const auto sink, from_bucket(bucket_->write(name)));
  TRY(from_bucket(sink->append(text)));
  return from_bucket(sink->commit());
}

ExportResult<bool> ExportJob::step() {
  if (!bucket_) TRY(open());
  const bool is_full = export_->description.type == ExportType::kFull;
  TRY_INTO(const TableAt::Step step, from_store(is_full ? read_items() : read_changes()));
  cursor_ = step.cursor;
  TRY(flush());
  const bool done = step.done || is_past_range_;
  // An export has at least one file, even if that is empty.
  if (done && !file_ && export_->files == 0) {
    TRY_INTO(auto sink, from_bucket(bucket_->write(export_data_object(export_->description, 0))));
    file_ = std::make_unique<ExportFileWriter>(std::move(sink));
  }
  if (file_ && (done || file_->bytes() >= place_.file_bytes_max)) TRY(finish_file());
  return done;
}

Result<TableAt::Step> ExportJob::read_items() {
  const KeyRange& range = export_->range;
  return table_.read(cursor_, {.keys_max = 256, .bytes_max = size_t{256} << 10},
                     [&](std::string_view key, ItemView item) {
                       if (!range.end.empty() && (key < range.begin || key >= range.end)) {
                         is_past_range_ = is_past_range_ || key >= range.end;
                         return;
                       }
                       if (selection_.matches(item)) add_line(item);
                     });
}

Result<TableAt::Step> ExportJob::read_changes() {
  const KeyRange& range = export_->range;
  const HistoryMoment from{.time_ms = *export_->description.period->from_ms - 1};
  return table_.read_changes(from, cursor_, {.keys_max = 256, .bytes_max = size_t{256} << 10},
                             [&](const TableAt::ChangedItem& changed) {
                               if (!range.end.empty() && (changed.key < range.begin || changed.key >= range.end)) {
                                 is_past_range_ = is_past_range_ || changed.key >= range.end;
                                 return;
                               }
                               // Both are empty if the item was created and deleted within the period.
                               const ItemView last = changed.after.empty() ? changed.before : changed.after;
                               if (!last.empty() && selection_.matches(last)) add_line(changed);
                             });
}

void ExportJob::add_line(ItemView item) {
  ++file_items_;
  file_bytes_ += static_cast<int64_t>(item.size_bytes());
  if (const ProjectionPaths* projection = selection_.projection()) {
    append_export_line(lines_, export_->description.format, projection->apply(item).view());
  } else {
    append_export_line(lines_, export_->description.format, item);
  }
}

void ExportJob::add_line(const TableAt::ChangedItem& changed) {
  const ExportDescription& description = export_->description;
  ++file_items_;
  file_bytes_ += static_cast<int64_t>(changed.before.empty() ? 0 : changed.before.size_bytes());
  file_bytes_ += static_cast<int64_t>(changed.after.empty() ? 0 : changed.after.size_bytes());
  const Item keys = project(changed.after.empty() ? changed.before : changed.after, export_->key_attributes);
  const bool with_old = description.period->view != ExportViewType::kNewImage;
  ExportedChange line{.written_ms = changed.written_ms,
                      .keys = keys.view(),
                      .old_image = with_old ? changed.before : ItemView(),
                      .new_image = changed.after};
  Item old_image;
  Item new_image;
  if (const ProjectionPaths* projection = selection_.projection()) {
    if (!line.old_image.empty()) line.old_image = (old_image = projection->apply(line.old_image)).view();
    if (!line.new_image.empty()) line.new_image = (new_image = projection->apply(line.new_image)).view();
  }
  append_export_line(lines_, description.format, line);
}

ExportResult<void> ExportJob::flush() {
  if (lines_.empty()) return {};
  if (!file_) {
    TRY_INTO(auto sink, from_bucket(bucket_->write(export_data_object(export_->description, export_->files))));
    file_ = std::make_unique<ExportFileWriter>(std::move(sink));
  }
  TRY(from_bucket(file_->append(lines_)));
  lines_.clear();
  return {};
}

ExportResult<void> ExportJob::finish_file() {
  ExportFile file{.name = export_data_object(export_->description, export_->files), .etag = {}, .items = file_items_};
  TRY_INTO(file.etag, from_bucket(file_->finish()));
  Export next = *export_;
  ++next.files;
  next.cursor = cursor_;
  next.items += file_items_;
  next.bytes += file_bytes_;
  next.description.item_count = next.items;
  next.description.billed_size_bytes = next.bytes;
  TRY(from_store(place_.catalog.save_file(next, file)));
  file_.reset();
  file_items_ = 0;
  file_bytes_ = 0;
  // Copy only these fields: the filter must not move, because selection_ borrows it.
  export_->files = next.files;
  export_->cursor = std::move(next.cursor);
  export_->items = next.items;
  export_->bytes = next.bytes;
  export_->description.item_count = next.items;
  export_->description.billed_size_bytes = next.bytes;
  return {};
}

ExportResult<void> ExportJob::finish(int64_t now_ms) {
  if (!bucket_) TRY(open());
  Export next = *export_;
  ExportDescription& description = next.description;
  description.status = ExportStatus::kCompleted;
  description.end_ms = now_ms;
  description.item_count = next.items;
  description.billed_size_bytes = next.bytes;
  if (description.type == ExportType::kIncremental && next.bytes < kBilledMin) {
    description.billed_size_bytes = kBilledMin;
  }
  description.manifest = export_object(description, "manifest-summary.json");
  TRY_INTO(const auto files, from_store(place_.catalog.files(description.arn)));
  std::vector<ManifestFile> rows;
  for (const ExportFile& file : files) rows.push_back({.object = file.name, .etag = file.etag, .items = file.items});
  const std::string files_text = manifest_files_text(rows);
  const std::string summary_text = manifest_summary_text(description);
  TRESTLE_TEST_POINT("exports.manifest");
  TRY(write_object(export_object(description, "manifest-files.json"), files_text));
  TRY(write_object(export_object(description, "manifest-files.md5"), checksum_text(files_text)));
  TRY(write_object(export_object(description, "manifest-summary.md5"), checksum_text(summary_text)));
  TRY(write_object(*description.manifest, summary_text));
  return from_store(place_.catalog.save_end(std::move(next)));
}

}  // namespace trestle
