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

template <class Codec, class T>
void csv_fields(Codec& codec, T& csv) {
  codec.text(csv.delimiter).optional(csv.header_list, [&](auto& headers) {
    codec.list(headers, [&](auto& header) { codec.text(header); });
  });
}

template <class Codec, class T>
void output_fields(Codec& codec, T& output) {
  codec.text(output.owner).text(output.bucket).text(output.prefix).text(output.sse_algorithm).text(output.sse_key_id);
  codec.list(output.output_types, [&](auto& type) { codec.code(type, BulkOutput::kConditionCheckFailure); });
}

// What a load stores in another form: its table (empty: a bulk put), and the total bytes plus 1 (0: not known).
struct StoredLoad {
  std::string table;
  int64_t total = 0;
};

template <class Codec, class T, class Stored>
void load_fields(Codec& codec, T& load, Stored& stored) {
  codec.code(load.kind, LoadKind::kBulkPut).code(load.status, BulkOperationStatus::kFailed).text(load.token);
  codec.text(load.source.owner).text(load.source.bucket).text(load.source.prefix);
  codec.code(load.format, InputFormat::kCsv).code(load.compression, InputCompression::kZstd);
  codec.optional(load.csv, [&](auto& csv) { csv_fields(codec, csv); });
  output_fields(codec, load.output);
  codec.text(load.table_name).text(load.table_id).text(load.table_arn).text(stored.table);
  codec.count(load.started_ms).count(load.ended_ms).count(load.processed_items).count(load.written_items);
  codec.count(load.failed_items).count(load.processed_bytes).count(stored.total).count(load.table_bytes);
  codec.list(load.index_bytes, [&](auto& entry) { codec.text(entry.first).count(entry.second); });
  codec.count(load.write_units_max).code(load.tier, PerformanceTier::kAccelerated);
  codec.text(load.failure_code).text(load.failure_message);
  codec.text(load.cursor.object).count(load.cursor.offset).flag(load.cursor.object_done);
  codec.count(load.cursor.records).count(load.logs);
}

}  // namespace

std::string encode_load(const Load& load) {
  const StoredLoad stored{.table = load.table ? encode_table(*load.table) : std::string(),
                          .total = load.total_bytes ? *load.total_bytes + 1 : 0};
  CatalogWriter writer(kLoadFormat);
  load_fields(writer, load, stored);
  return writer.take();
}

Result<Load> decode_load(std::string_view arn, std::string_view bytes) {
  Load load;
  load.arn = arn;
  StoredLoad stored;
  CatalogReader reader(bytes, kLoadFormat);
  load_fields(reader, load, stored);
  TRY(reader.end("load"));
  if (stored.total > 0) load.total_bytes = stored.total - 1;
  if (!stored.table.empty()) {
    TRY_INTO(load.table, decode_table(stored.table));
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
