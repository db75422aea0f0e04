#include "storage/catalog/load_catalog.h"

#include <algorithm>
#include <mutex>

#include "storage/catalog/record_codec.h"
#include "storage/catalog/table_encoding.h"

namespace trestle {
namespace {

constexpr char kLoadFormat = 1;
constexpr char kLoadKey = 'L';

std::string load_key(std::string_view arn) { return kLoadKey + std::string(arn); }

void write_csv(const std::optional<CsvOptions>& csv, CatalogWriter& write) {
  write.optional(csv, [&](const CsvOptions& there) {
    write.text(there.delimiter).optional(there.header_list, [&](const std::vector<std::string>& headers) {
      write.list(headers, [&](const std::string& header) { write.text(header); });
    });
  });
}

void read_csv(CatalogReader& read, std::optional<CsvOptions>& csv) {
  read.optional(csv, [&](CsvOptions& there) {
    read.text(there.delimiter).optional(there.header_list, [&](std::vector<std::string>& headers) {
      read.list(headers, [&](std::string& header) { read.text(header); });
    });
  });
}

void write_output(const BulkOutputConfiguration& output, CatalogWriter& write) {
  write.text(output.owner).text(output.bucket).text(output.prefix).text(output.sse_algorithm).text(output.sse_key_id);
  write.list(output.output_types, [&](BulkOutput type) { write.code(type); });
}

void read_output(CatalogReader& read, BulkOutputConfiguration& output) {
  read.text(output.owner).text(output.bucket).text(output.prefix).text(output.sse_algorithm).text(output.sse_key_id);
  read.list(output.output_types, [&](BulkOutput& type) { read.code(type, BulkOutput::kConditionCheckFailure); });
}

}  // namespace

std::string encode_load(const Load& load) {
  CatalogWriter write(kLoadFormat);
  write.code(load.kind).code(load.status).text(load.token);
  write.text(load.source.owner).text(load.source.bucket).text(load.source.prefix);
  write.code(load.format).code(load.compression);
  write_csv(load.csv, write);
  write_output(load.output, write);
  write.text(load.table_name).text(load.table_id).text(load.table_arn);
  write.text(load.table ? encode_table(*load.table) : std::string());
  write.count(load.started_ms).count(load.ended_ms).count(load.processed_items).count(load.written_items);
  write.count(load.failed_items).count(load.processed_bytes).count(load.total_bytes ? *load.total_bytes + 1 : 0);
  write.count(load.table_bytes);
  write.list(load.index_bytes, [&](const auto& entry) { write.text(entry.first).count(entry.second); });
  write.count(load.write_units_max).code(load.tier).text(load.failure_code).text(load.failure_message);
  write.text(load.cursor.object).count(static_cast<int64_t>(load.cursor.offset)).flag(load.cursor.object_done);
  write.count(load.cursor.records).count(load.logs);
  return write.take();
}

Result<Load> decode_load(std::string_view arn, std::string_view bytes) {
  Load load;
  load.arn = arn;
  CatalogReader read(bytes, kLoadFormat);
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
  read.list(load.index_bytes, [&](auto& entry) { read.text(entry.first).count(entry.second); });
  read.count(load.write_units_max).code(load.tier, PerformanceTier::kAccelerated);
  int64_t offset = 0;
  read.text(load.failure_code).text(load.failure_message).text(load.cursor.object).count(offset);
  load.cursor.offset = static_cast<uint64_t>(offset);
  read.flag(load.cursor.object_done).count(load.cursor.records).count(load.logs);
  TRY(read.end("load"));
  if (!table.empty()) {
    TRY_INTO(load.table, decode_table(table));
  }
  return load;
}

Result<std::unique_ptr<LoadCatalog>> LoadCatalog::load(Store& store) {
  std::unique_ptr<LoadCatalog> catalog(new LoadCatalog(store));
  const auto cursor = store.cursor(Space::kCatalog, {.range = kind_range(kLoadKey)}, nullptr);
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
  TRY_INTO(const uint64_t commit, write(std::move(load)));
  return store_.wait_durable(commit);
}

// Published once it is written, even if the sync fails: it becomes durable when the store recovers.
Result<uint64_t> LoadCatalog::write(Load load) {
  Batch batch(store_);
  put(load, batch);
  TRY_INTO(const uint64_t commit, store_.commit(batch));
  publish(std::move(load));
  return commit;
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
