#include "storage/load_catalog.h"

#include <algorithm>
#include <mutex>

#include "base/bytes.h"
#include "storage/table_encoding.h"

namespace trestle {
namespace {

constexpr char kFormat = 1;
constexpr char kLoadKey = 'L';

std::string load_key(std::string_view arn) { return kLoadKey + std::string(arn); }

class Writer {
 public:
  Writer& text(std::string_view value) {
    append_sized(out_, value);
    return *this;
  }
  Writer& count(int64_t value) {
    append_varint(out_, static_cast<uint64_t>(value));
    return *this;
  }
  Writer& flag(bool value) {
    out_.push_back(value ? 1 : 0);
    return *this;
  }
  template <class Enum>
  Writer& code(Enum value) {
    out_.push_back(static_cast<char>(value));
    return *this;
  }
  Writer& text(const std::optional<std::string>& value) {
    flag(value.has_value());
    if (value) text(std::string_view(*value));
    return *this;
  }
  Writer& text(const std::string& value) { return text(std::string_view(value)); }
  std::string take() { return std::move(out_); }

 private:
  std::string out_{kFormat};
};

// Takes fields off the front; is_ok() is false once one was not there.
class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {
    ok_ = !in_.empty() && in_.front() == kFormat;
    if (ok_) in_.remove_prefix(1);
  }
  bool is_ok() const { return ok_; }
  bool is_whole() const { return ok_ && in_.empty(); }
  Reader& text(std::string& value) {
    std::string_view bytes;
    if (ok_ && (ok_ = read_sized(in_, bytes))) value = bytes;
    return *this;
  }
  Reader& count(int64_t& value) {
    uint64_t raw = 0;
    if (ok_ && (ok_ = read_varint(in_, raw))) value = static_cast<int64_t>(raw);
    return *this;
  }
  Reader& flag(bool& value) {
    unsigned byte = 0;
    if (take(byte) && (ok_ = byte <= 1)) value = byte == 1;
    return *this;
  }
  template <class Enum>
  Reader& code(Enum& value, Enum last) {
    unsigned byte = 0;
    if (take(byte) && (ok_ = byte <= static_cast<unsigned>(last))) value = static_cast<Enum>(byte);
    return *this;
  }
  Reader& text(std::optional<std::string>& value) {
    bool has = false;
    flag(has);
    return has ? text(value.emplace()) : *this;
  }
  // A list, which can have no more elements than there are bytes left.
  template <class Element>
  Reader& list(Element element) {
    int64_t size = 0;
    count(size);
    ok_ = ok_ && size >= 0 && static_cast<uint64_t>(size) <= in_.size();
    for (int64_t i = 0; ok_ && i < size; ++i) element();
    return *this;
  }

 private:
  bool take(unsigned& byte) {
    ok_ = ok_ && !in_.empty();
    if (!ok_) return false;
    byte = static_cast<unsigned char>(in_.front());
    in_.remove_prefix(1);
    return true;
  }
  std::string_view in_;
  bool ok_ = false;
};

void write_csv(const std::optional<CsvOptions>& csv, Writer& write) {
  write.flag(csv.has_value());
  if (!csv) return;
  write.text(csv->delimiter).flag(csv->header_list.has_value());
  if (!csv->header_list) return;
  write.count(static_cast<int64_t>(csv->header_list->size()));
  for (const std::string& header : *csv->header_list) write.text(header);
}

void read_csv(Reader& read, std::optional<CsvOptions>& csv) {
  bool has = false;
  read.flag(has);
  if (!has) return;
  bool has_list = false;
  read.text(csv.emplace().delimiter).flag(has_list);
  if (!has_list) return;
  csv->header_list.emplace();
  read.list([&] { read.text(csv->header_list->emplace_back()); });
}

void write_output(const BulkOutputConfiguration& output, Writer& write) {
  write.text(output.owner).text(output.bucket).text(output.prefix).text(output.sse_algorithm).text(output.sse_key_id);
  write.count(static_cast<int64_t>(output.output_types.size()));
  for (const BulkOutput type : output.output_types) write.code(type);
}

void read_output(Reader& read, BulkOutputConfiguration& output) {
  read.text(output.owner).text(output.bucket).text(output.prefix).text(output.sse_algorithm).text(output.sse_key_id);
  read.list([&] { read.code(output.output_types.emplace_back(), BulkOutput::kConditionCheckFailure); });
}

}  // namespace

std::string encode_load(const Load& load) {
  Writer write;
  write.code(load.kind).code(load.status).text(load.token);
  write.text(load.source.owner).text(load.source.bucket).text(load.source.prefix);
  write.code(load.format).code(load.compression);
  write_csv(load.csv, write);
  write_output(load.output, write);
  write.text(load.table_name).text(load.table_id).text(load.table_arn);
  write.text(load.table ? encode_table(*load.table) : std::string());
  write.count(load.started_ms).count(load.ended_ms).count(load.processed_items).count(load.written_items);
  write.count(load.failed_items).count(load.processed_bytes).count(load.total_bytes ? *load.total_bytes + 1 : 0);
  write.count(load.table_bytes).count(static_cast<int64_t>(load.index_bytes.size()));
  for (const auto& [index, bytes] : load.index_bytes) write.text(index).count(bytes);
  write.count(load.write_units_max).code(load.tier).text(load.failure_code).text(load.failure_message);
  write.text(load.cursor.object).count(static_cast<int64_t>(load.cursor.offset)).flag(load.cursor.object_done);
  write.count(load.cursor.records).count(load.logs);
  return write.take();
}

Result<Load> decode_load(std::string_view arn, std::string_view bytes) {
  Load load;
  load.arn = arn;
  Reader read(bytes);
  read.code(load.kind, LoadKind::kBulkPut).code(load.status, BulkOperationStatus::kFailed).text(load.token);
  read.text(load.source.owner).text(load.source.bucket).text(load.source.prefix);
  read.code(load.format, InputFormat::kCsv).code(load.compression, InputCompression::kZstd);
  read_csv(read, load.csv);
  read_output(read, load.output);
  std::string table;
  read.text(load.table_name).text(load.table_id).text(load.table_arn).text(table);
  int64_t total = 0;
  read.count(load.started_ms).count(load.ended_ms).count(load.processed_items).count(load.written_items);
  read.count(load.failed_items).count(load.processed_bytes).count(total).count(load.table_bytes);
  if (total > 0) load.total_bytes = total - 1;
  read.list([&] {
    auto& [index, put_bytes] = load.index_bytes.emplace_back();
    read.text(index).count(put_bytes);
  });
  read.count(load.write_units_max).code(load.tier, PerformanceTier::kAccelerated);
  int64_t offset = 0;
  read.text(load.failure_code).text(load.failure_message).text(load.cursor.object).count(offset);
  load.cursor.offset = static_cast<uint64_t>(offset);
  read.flag(load.cursor.object_done).count(load.cursor.records).count(load.logs);
  if (!read.is_whole()) {
    return failure(ErrorCode::kInternal, "A stored load is damaged, or written by a newer version of Trestle.");
  }
  if (!table.empty()) {
    TRY_INTO(load.table, decode_table(table));
  }
  return load;
}

Result<std::unique_ptr<LoadCatalog>> LoadCatalog::load(Store& store) {
  std::unique_ptr<LoadCatalog> catalog(new LoadCatalog(store));
  const KeyRange range{std::string(1, kLoadKey), std::string(1, static_cast<char>(kLoadKey + 1))};
  const auto cursor = store.cursor(Space::kCatalog, {.range = range}, nullptr);
  for (; cursor->valid(); cursor->next()) {
    TRY_INTO(Load found, decode_load(cursor->key().substr(1), cursor->value()));
    catalog->publish(std::move(found));
  }
  TRY(cursor->status());
  return catalog;
}

std::shared_ptr<const Load> LoadCatalog::find(std::string_view arn) const {
  std::shared_lock lock(mutex_);
  const auto it = loads_.find(arn);
  return it == loads_.end() ? nullptr : it->second;
}

std::vector<std::shared_ptr<const Load>> LoadCatalog::loads(LoadKind kind) const {
  std::vector<std::shared_ptr<const Load>> found;
  {
    std::shared_lock lock(mutex_);
    for (const auto& [arn, load] : loads_) {
      if (load->kind == kind) found.push_back(load);
    }
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) {
    return std::pair(b->started_ms, std::string_view(b->arn)) < std::pair(a->started_ms, std::string_view(a->arn));
  });
  return found;
}

std::vector<std::shared_ptr<const Load>> LoadCatalog::under_way() const {
  std::vector<std::shared_ptr<const Load>> found;
  std::shared_lock lock(mutex_);
  for (const auto& [arn, load] : loads_) {
    if (load->is_under_way()) found.push_back(load);
  }
  return found;
}

std::shared_ptr<const Load> LoadCatalog::find_token(LoadKind kind, std::string_view token) const {
  for (const auto& load : loads(kind)) {
    if (load->token == token) return load;
  }
  return nullptr;
}

Result<void> LoadCatalog::save(Load load) {
  Batch batch(store_);
  put(load, batch);
  TRY_INTO(const uint64_t commit, store_.commit(batch));
  TRY(store_.wait_durable(commit));
  publish(std::move(load));
  return {};
}

Result<void> LoadCatalog::forget(const Load& load) {
  Batch batch(store_);
  batch.erase(Space::kCatalog, load_key(load.arn));
  TRY(store_.commit(batch));
  std::unique_lock lock(mutex_);
  loads_.erase(load.arn);
  return {};
}

void LoadCatalog::put(const Load& load, Batch& batch) {
  batch.put(Space::kCatalog, load_key(load.arn), encode_load(load));
}

void LoadCatalog::publish(Load load) {
  auto shared = std::make_shared<const Load>(std::move(load));
  std::unique_lock lock(mutex_);
  loads_[shared->arn] = shared;
}

}  // namespace trestle
