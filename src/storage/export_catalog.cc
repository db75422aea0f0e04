#include "storage/export_catalog.h"

#include <mutex>

#include "base/bytes.h"

namespace trestle {
namespace {

constexpr char kFormat = 1;
constexpr char kExportKey = 'x';
constexpr char kFileKey = 'X';

std::string export_key(std::string_view arn) { return kExportKey + std::string(arn); }
std::string files_prefix(std::string_view arn) { return (kFileKey + std::string(arn)).append(1, '\0'); }
KeyRange files_range(std::string_view arn) {
  return {files_prefix(arn), (kFileKey + std::string(arn)).append(1, '\1')};
}

// The two codecs have the same functions, so that one list of fields serves both.
class Writer {
 public:
  void text(const std::string& value) { append_sized(out_, value); }
  void count(int64_t value) { append_varint(out_, static_cast<uint64_t>(value)); }
  void u32(uint32_t value) { append_u32_be(out_, value); }
  template <class Enum>
  void code(Enum value, Enum) {
    out_.push_back(static_cast<char>(value));
  }
  void value(const Value& value) { append_sized(out_, value.bytes()); }
  // Whether there is one; `write` writes it.
  template <class T, class Write>
  void optional(const std::optional<T>& thing, Write write) {
    out_.push_back(thing ? 1 : 0);
    if (thing) write(*thing);
  }
  template <class T, class Write>
  void list(const std::vector<T>& things, Write write) {
    append_varint(out_, things.size());
    for (const T& thing : things) write(thing);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_ = std::string(1, kFormat);
};

class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {
    ok_ = !in_.empty() && in_.front() == kFormat;
    if (ok_) in_.remove_prefix(1);
  }
  void text(std::string& value) {
    std::string_view bytes;
    if (ok_ && (ok_ = read_sized(in_, bytes))) value = bytes;
  }
  void count(int64_t& value) {
    uint64_t raw;
    if (ok_ && (ok_ = read_varint(in_, raw))) value = static_cast<int64_t>(raw);
  }
  void u32(uint32_t& value) {
    if (!(ok_ = ok_ && in_.size() >= 4)) return;
    value = load_u32_be(in_.data());
    in_.remove_prefix(4);
  }
  template <class Enum>
  void code(Enum& value, Enum last) {
    const unsigned raw = byte();
    if ((ok_ = ok_ && raw <= static_cast<unsigned>(last))) value = static_cast<Enum>(raw);
  }
  void value(Value& value) {
    std::string_view bytes;
    if (ok_ && (ok_ = read_sized(in_, bytes))) value = Value(std::string(bytes));
  }
  template <class T, class Read>
  void optional(std::optional<T>& thing, Read read) {
    const unsigned there = byte();
    if ((ok_ = ok_ && there <= 1) && there == 1) read(thing.emplace());
  }
  template <class T, class Read>
  void list(std::vector<T>& things, Read read) {
    uint64_t size = 0;
    ok_ = ok_ && read_varint(in_, size) && size <= in_.size();
    for (uint64_t i = 0; ok_ && i < size; ++i) read(things.emplace_back());
  }
  Result<void> end() const {
    if (ok_ && in_.empty()) return {};
    return failure(ErrorCode::kInternal, "A stored export is damaged, or written by a newer version of Trestle.");
  }

 private:
  unsigned byte() {
    if (!(ok_ = ok_ && !in_.empty())) return 0;
    const auto byte = static_cast<unsigned char>(in_.front());
    in_.remove_prefix(1);
    return byte;
  }
  std::string_view in_;
  bool ok_ = false;
};

// `T` is const where it is written.
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
  Writer writer;
  export_fields(writer, export_);
  return writer.take();
}

Result<Export> decode_export(std::string_view arn, std::string_view bytes) {
  Export export_;
  export_.description.arn = arn;
  Reader reader(bytes);
  export_fields(reader, export_);
  TRY(reader.end());
  return export_;
}

std::string encode_export_file(const ExportFile& file) {
  Writer writer;
  file_fields(writer, file);
  return writer.take();
}

Result<ExportFile> decode_export_file(std::string_view bytes) {
  ExportFile file;
  Reader reader(bytes);
  file_fields(reader, file);
  TRY(reader.end());
  return file;
}

Result<void> ExportCatalog::load() {
  const KeyRange range{std::string(1, kExportKey), std::string(1, kExportKey + 1)};
  const auto cursor = store_.cursor(Space::kCatalog, {.range = range}, nullptr);
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
  const std::string arn = export_.description.arn;
  batch.put(Space::kCatalog, export_key(arn), encode_export(export_));
  TRY(commit(batch));
  std::unique_lock lock(mutex_);
  exports_[arn] = std::make_shared<const Export>(std::move(export_));
  return {};
}

Result<void> ExportCatalog::save_file(Export export_, const ExportFile& file) {
  Batch batch(store_);
  const std::string arn = export_.description.arn;
  std::string key = files_prefix(arn);
  append_u32_be(key, export_.files - 1);
  batch.put(Space::kCatalog, key, encode_export_file(file));
  batch.put(Space::kCatalog, export_key(arn), encode_export(export_));
  TRY(commit(batch));
  std::unique_lock lock(mutex_);
  exports_[arn] = std::make_shared<const Export>(std::move(export_));
  return {};
}

Result<void> ExportCatalog::save_end(Export export_) {
  Batch batch(store_);
  const std::string arn = export_.description.arn;
  batch.erase_range(Space::kCatalog, files_range(arn));
  batch.put(Space::kCatalog, export_key(arn), encode_export(export_));
  TRY(commit(batch));
  std::unique_lock lock(mutex_);
  exports_[arn] = std::make_shared<const Export>(std::move(export_));
  return {};
}

Result<void> ExportCatalog::remove(const std::string& arn) {
  Batch batch(store_);
  batch.erase_range(Space::kCatalog, files_range(arn));
  batch.erase(Space::kCatalog, export_key(arn));
  TRY(commit(batch));
  std::unique_lock lock(mutex_);
  exports_.erase(arn);
  return {};
}

Result<void> ExportCatalog::commit(Batch& batch) {
  TRY_INTO(const uint64_t number, store_.commit(batch));
  return store_.wait_durable(number);
}

}  // namespace trestle
