#include "storage/catalog/export_catalog.h"

#include <mutex>

#include "base/bytes.h"
#include "storage/catalog/record_codec.h"

namespace trestle {
namespace {

constexpr char kExportFormat = 1;
constexpr char kExportKey = 'x';
constexpr char kFileKey = 'X';

std::string export_key(std::string_view arn) { return kExportKey + std::string(arn); }
std::string files_prefix(std::string_view arn) { return (kFileKey + std::string(arn)).append(1, '\0'); }
KeyRange files_range(std::string_view arn) {
  return {files_prefix(arn), (kFileKey + std::string(arn)).append(1, '\1')};
}

// Codec is CatalogWriter or CatalogReader. `T` is const when writing.
template <class Codec, class T>
void period_fields(Codec& codec, T& period) {
  const auto count = [&](auto& value) { codec.count(value); };
  codec.optional(period.from_ms, count);
  codec.optional(period.to_ms, count);
  codec.optional(period.view, [&](auto& value) { codec.code(value, ExportViewType::kNewImage); });
}

template <class Codec, class T>
void filter_fields(Codec& codec, T& filter) {
  const auto text = [&](auto& value) { codec.text(value); };
  codec.optional(filter.filter_expression, text);
  codec.optional(filter.projection_expression, text);
  codec.optional(filter.key_condition_expression, text);
  codec.optional(filter.placeholders.names, [&](auto& names) {
    codec.list(names, [&](auto& entry) {
      codec.text(entry.first);
      codec.text(entry.second);
    });
  });
  codec.optional(filter.placeholders.values, [&](auto& values) {
    codec.list(values, [&](auto& entry) {
      codec.text(entry.first);
      codec.value(entry.second);
    });
  });
}

template <class Codec, class T>
void export_fields(Codec& codec, T& export_) {
  auto& d = export_.description;
  codec.code(d.status, ExportStatus::kFailed);
  codec.code(d.type, ExportType::kIncremental);
  codec.code(d.format, ExportFormat::kIon);
  codec.code(d.sse_algorithm, S3SseAlgorithm::kKms);
  codec.text(d.table_arn);
  codec.text(d.table_id);
  codec.text(d.s3_bucket);
  codec.count(d.start_ms);
  const auto count = [&](auto& value) { codec.count(value); };
  codec.optional(d.end_ms, count);
  codec.optional(d.export_ms, count);
  codec.optional(d.billed_size_bytes, count);
  codec.optional(d.item_count, count);
  const auto text = [&](auto& value) { codec.text(value); };
  codec.optional(d.manifest, text);
  codec.optional(d.client_token, text);
  codec.optional(d.s3_bucket_owner, text);
  codec.optional(d.s3_prefix, text);
  codec.optional(d.sse_kms_key_id, text);
  codec.optional(d.failure_code, text);
  codec.optional(d.failure_message, text);
  codec.optional(d.period, [&](auto& period) { period_fields(codec, period); });
  codec.optional(d.filter, [&](auto& filter) { filter_fields(codec, filter); });
  codec.text(export_.parameters);
  codec.list(export_.key_attributes, text);
  codec.text(export_.range.begin);
  codec.text(export_.range.end);
  codec.u32(export_.hold);
  codec.u32(export_.files);
  codec.text(export_.cursor);
  codec.count(export_.items);
  codec.count(export_.bytes);
}

template <class Codec, class T>
void file_fields(Codec& codec, T& file) {
  codec.text(file.name);
  codec.text(file.etag);
  codec.count(file.items);
}

}  // namespace

std::string encode_export(const Export& export_) {
  CatalogWriter writer(kExportFormat);
  export_fields(writer, export_);
  return writer.take();
}

Result<Export> decode_export(std::string_view arn, std::string_view bytes) {
  Export export_;
  export_.description.arn = arn;
  CatalogReader reader(bytes, kExportFormat);
  export_fields(reader, export_);
  TRY(reader.end("export"));
  return export_;
}

std::string encode_export_file(const ExportFile& file) {
  CatalogWriter writer(kExportFormat);
  file_fields(writer, file);
  return writer.take();
}

Result<ExportFile> decode_export_file(std::string_view bytes) {
  ExportFile file;
  CatalogReader reader(bytes, kExportFormat);
  file_fields(reader, file);
  TRY(reader.end("export"));
  return file;
}

Result<void> ExportCatalog::load() {
  const auto cursor = store_.cursor(Space::kCatalog, {.range = kind_range(kExportKey)}, nullptr);
  std::unique_lock lock(mutex_);
  for (; cursor->valid(); cursor->next()) {
    const std::string arn(cursor->key().substr(1));
    TRY_INTO(Export export_, decode_export(arn, cursor->value()));
    exports_[arn] = std::make_shared<const Export>(std::move(export_));
  }
  return cursor->status();
}

std::shared_ptr<const Export> ExportCatalog::find(std::string_view arn) const {
  std::shared_lock lock(mutex_);
  const auto found = exports_.find(arn);
  return found == exports_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const Export>> ExportCatalog::all() const {
  std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<const Export>> all;
  all.reserve(exports_.size());
  for (const auto& [arn, export_] : exports_) all.push_back(export_);
  return all;
}

Result<std::vector<ExportFile>> ExportCatalog::files(std::string_view arn) const {
  std::vector<ExportFile> files;
  const auto cursor = store_.cursor(Space::kCatalog, {.range = files_range(arn)}, nullptr);
  for (; cursor->valid(); cursor->next()) {
    TRY_INTO(files.emplace_back(), decode_export_file(cursor->value()));
  }
  TRY(cursor->status());
  return files;
}

Result<void> ExportCatalog::save(Export export_) {
  Batch batch(store_);
  return commit(batch, std::move(export_));
}

Result<void> ExportCatalog::save_file(Export export_, const ExportFile& file) {
  Batch batch(store_);
  std::string key = files_prefix(export_.description.arn);
  append_u32_be(key, export_.files - 1);
  batch.put(Space::kCatalog, key, encode_export_file(file));
  return commit(batch, std::move(export_));
}

Result<void> ExportCatalog::save_end(Export export_) {
  Batch batch(store_);
  batch.erase_range(Space::kCatalog, files_range(export_.description.arn));
  return commit(batch, std::move(export_));
}

Result<void> ExportCatalog::remove(const std::string& arn) {
  Batch batch(store_);
  batch.erase_range(Space::kCatalog, files_range(arn));
  batch.erase(Space::kCatalog, export_key(arn));
  TRY_INTO(const uint64_t number, store_.commit(batch));
  {
    std::unique_lock lock(mutex_);
    exports_.erase(arn);
  }
  return store_.wait_durable(number);
}

// The export is visible to readers once it is written, even if the sync fails: it becomes durable when the store
// recovers.
Result<void> ExportCatalog::commit(Batch& batch, Export export_) {
  const std::string arn = export_.description.arn;
  batch.put(Space::kCatalog, export_key(arn), encode_export(export_));
  TRY_INTO(const uint64_t number, store_.commit(batch));
  {
    std::unique_lock lock(mutex_);
    exports_[arn] = std::make_shared<const Export>(std::move(export_));
  }
  return store_.wait_durable(number);
}

}  // namespace trestle
