#include "storage/catalog/stream_catalog.h"

#include <algorithm>
#include <mutex>

#include "base/bytes.h"
#include "base/check.h"
#include "storage/catalog/record_codec.h"
#include "storage/stream_record.h"

namespace trestle {
namespace {

constexpr char kStreamKey = 's';
constexpr std::string_view kNextStreamKey = "S";
constexpr char kStreamFormat = 1;

std::string stream_key(uint32_t id) {
  std::string key(1, kStreamKey);
  append_u32_be(key, id);
  return key;
}

template <class Codec, class T>
void attribute_fields(Codec& codec, T& attributes) {
  codec.list(attributes, [&](auto& attribute) { codec.text(attribute.name).key_type(attribute.type); });
}

template <class Codec, class T>
void stream_fields(Codec& codec, T& stream) {
  codec.text(stream.table_name).text(stream.table_arn).text(stream.label);
  codec.code(stream.view_type, StreamViewType::kNewAndOldImages).code(stream.slots, uint32_t{UINT8_MAX});
  codec.count(stream.created_ms).count(stream.disabled_ms).count(stream.last_commit).count(stream.trimmed_commit);
  attribute_fields(codec, stream.key.hash);
  attribute_fields(codec, stream.key.range);
  codec.list(stream.generations, [&](auto& generation) {
    codec.count(generation.first_commit).count(generation.started_ms).count(generation.parent_started_ms);
  });
  if (codec.has_more(!stream.resource_policy.empty()))
    codec.text(stream.resource_policy).count(stream.resource_policy_ms);
}

}  // namespace

std::string encode_stream(const Stream& stream) {
  CatalogWriter writer(kStreamFormat);
  stream_fields(writer, stream);
  return writer.take();
}

bool operator==(const Stream& a, const Stream& b) { return a.id == b.id && encode_stream(a) == encode_stream(b); }

Result<Stream> decode_stream(uint32_t id, std::string_view bytes) {
  Stream stream;
  stream.id = id;
  CatalogReader reader(bytes, kStreamFormat);
  stream_fields(reader, stream);
  if (!reader.end("stream description").has_value() || stream.slots == 0 || stream.generations.empty()) {
    return failure(ErrorCode::kInternal,
                   "A stored stream description is damaged, or was written by a newer version of Trestle; open this "
                   "data with the version that wrote it, or a newer one.");
  }
  return stream;
}

Result<void> StreamCatalog::load() {
  PinnedBytes next;
  TRY_INTO(const bool has_next, store_.get(Space::kCatalog, kNextStreamKey, next));
  if (has_next && next.view().size() == 4) next_id_ = load_u32_be(next.view().data());
  const auto cursor = store_.cursor(Space::kCatalog, {.range = kind_range(kStreamKey)}, nullptr);
  for (; cursor->valid(); cursor->next()) {
    TRY_INTO(Stream stream, decode_stream(load_u32_be(cursor->key().data() + 1), cursor->value()));
    publish({std::move(stream)}, 0);
  }
  return cursor->status();
}

std::shared_ptr<const Stream> StreamCatalog::find(std::string_view arn) const {
  std::shared_lock lock(mutex_);
  const auto it = by_arn_.find(arn);
  return it == by_arn_.end() ? nullptr : it->second;
}

std::shared_ptr<const Stream> StreamCatalog::find(uint32_t id) const {
  std::shared_lock lock(mutex_);
  const auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : it->second;
}

std::vector<std::shared_ptr<const Stream>> StreamCatalog::streams() const {
  std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<const Stream>> streams;
  streams.reserve(by_arn_.size());
  for (const auto& [arn, stream] : by_arn_) streams.push_back(stream);
  return streams;
}

StreamCatalog::Plan StreamCatalog::plan(const TableDescription* before, const TableDescription* after, int64_t now_ms,
                                        Batch& batch) {
  Plan plan;
  const bool was_enabled = before != nullptr && before->stream;
  const bool is_enabled = after != nullptr && after->stream;
  if (was_enabled && is_enabled && before->stream_label == after->stream_label) return plan;
  if (was_enabled) {
    if (const auto current = find(before->arn + "/stream/" + before->stream_label)) {
      Stream closed = *current;
      closed.disabled_ms = now_ms;
      closed.last_commit = store_.begun_commit();
      plan.push_back(std::move(closed));
    }
  }
  if (is_enabled) {
    Stream opened{.id = next_id_++,
                  .table_name = after->name,
                  .table_arn = after->arn,
                  .label = after->stream_label,
                  .view_type = *after->stream,
                  .created_ms = now_ms,
                  .key = after->key};
    opened.generations.push_back({.first_commit = store_.begun_commit() + 1, .started_ms = now_ms});
    plan.push_back(std::move(opened));
    std::string next;
    append_u32_be(next, next_id_);
    batch.put(Space::kCatalog, kNextStreamKey, next);
  }
  for (const Stream& stream : plan) batch.put(Space::kCatalog, stream_key(stream.id), encode_stream(stream));
  return plan;
}

void StreamCatalog::publish(const Plan& plan, uint64_t commit) {
  std::unique_lock lock(mutex_);
  for (const Stream& stream : plan) {
    auto copy = std::make_shared<Stream>(stream);
    if (!copy->counts) copy->counts = std::make_shared<StreamCounts>(copy->slots);
    std::shared_ptr<const Stream> published = std::move(copy);
    const auto before = by_id_.find(stream.id);
    count_policies(before == by_id_.end() ? nullptr : before->second.get(), published.get());
    by_arn_[stream.arn()] = published;
    by_id_[stream.id] = std::move(published);
  }
  if (!plan.empty()) commit_seen_.store(commit, std::memory_order_release);
}

void StreamCatalog::count_policies(const Stream* before, const Stream* after) {
  const int had = before != nullptr && !before->resource_policy.empty() ? 1 : 0;
  const int has = after != nullptr && !after->resource_policy.empty() ? 1 : 0;
  policies_.fetch_add(has - had, std::memory_order_relaxed);
}

Result<void> StreamCatalog::roll(uint32_t id, int64_t now_ms) {
  return edit(id, [&](Stream& stream, Batch&) {
    const int64_t parent_ms = stream.generations.back().started_ms;
    // Shards are identified by their start time.
    stream.generations.push_back({.first_commit = store_.begun_commit() + 1,
                                  .started_ms = std::max(now_ms, parent_ms + 1),
                                  .parent_started_ms = parent_ms});
  });
}

Result<void> StreamCatalog::trim(uint32_t id, uint64_t commit, size_t generations) {
  return edit(id, [&](Stream& stream, Batch& batch) {
    CHECK(generations < stream.generations.size());
    stream.generations.erase(stream.generations.begin(),
                             stream.generations.begin() + static_cast<std::ptrdiff_t>(generations));
    if (commit <= stream.trimmed_commit) return;
    for (uint32_t slot = 0; slot < stream.slots; ++slot) {
      batch.erase_range(Space::kStreams,
                        stream_record_range(id, slot, {.commit = stream.trimmed_commit}, {.commit = commit + 1}));
    }
    stream.trimmed_commit = commit;
  });
}

Result<void> StreamCatalog::set_policy(uint32_t id, const std::string& policy, int64_t put_ms) {
  return edit(id, [&](Stream& stream, Batch&) {
    stream.resource_policy = policy;
    stream.resource_policy_ms = policy.empty() ? 0 : put_ms;
  });
}

Result<void> StreamCatalog::remove(uint32_t id) {
  std::unique_lock lock(mutex_);
  const auto it = by_id_.find(id);
  if (it == by_id_.end()) return {};
  Batch batch(store_);
  batch.erase(Space::kCatalog, stream_key(id));
  batch.erase_range(Space::kStreams, stream_range(id));
  TRY_INTO(const uint64_t commit, store_.commit(batch));
  count_policies(it->second.get(), nullptr);
  by_arn_.erase(it->second->arn());
  by_id_.erase(it);
  commit_seen_.store(commit, std::memory_order_release);
  return {};
}

Result<void> StreamCatalog::edit(uint32_t id, const std::function<void(Stream&, Batch&)>& edit) {
  std::unique_lock lock(mutex_);
  const auto it = by_id_.find(id);
  if (it == by_id_.end()) return {};
  Stream stream = *it->second;
  Batch batch(store_);
  edit(stream, batch);
  batch.put(Space::kCatalog, stream_key(id), encode_stream(stream));
  TRY_INTO(const uint64_t commit, store_.commit(batch));
  const auto published = std::make_shared<const Stream>(std::move(stream));
  count_policies(it->second.get(), published.get());
  by_arn_[published->arn()] = published;
  it->second = published;
  commit_seen_.store(commit, std::memory_order_release);
  return {};
}

}  // namespace trestle
