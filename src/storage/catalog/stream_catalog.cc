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

void append_attributes(std::string& out, const std::vector<KeyAttribute>& attributes) {
  append_varint(out, attributes.size());
  for (const auto& attribute : attributes) {
    append_sized(out, attribute.name);
    out.append(type_name(attribute.type));
  }
}

// ---- Reading. Each function removes one element from the front of `in`, or returns false if the bytes are invalid.

bool read_ms(std::string_view& in, int64_t& ms) {
  uint64_t value;
  if (!read_varint(in, value)) return false;
  ms = static_cast<int64_t>(value);
  return true;
}

bool read_attributes(std::string_view& in, std::vector<KeyAttribute>& attributes) {
  uint64_t count;
  if (!read_varint(in, count) || count > in.size()) return false;
  attributes.resize(count);
  for (auto& attribute : attributes) {
    uint32_t type;
    if (!read_text(in, attribute.name) || !read_byte(in, type)) return false;
    if (type != 'S' && type != 'N' && type != 'B') return false;
    attribute.type = type == 'S' ? ValueType::kString : type == 'N' ? ValueType::kNumber : ValueType::kBinary;
  }
  return true;
}

bool read_generations(std::string_view& in, std::vector<ShardGeneration>& generations) {
  uint64_t count;
  if (!read_varint(in, count) || count == 0 || count > in.size()) return false;
  generations.resize(count);
  for (auto& generation : generations) {
    if (!read_varint(in, generation.first_commit) || !read_ms(in, generation.started_ms) ||
        !read_ms(in, generation.parent_started_ms)) {
      return false;
    }
  }
  return true;
}

bool read_stream(std::string_view in, Stream& stream) {
  uint32_t format;
  uint32_t view_type;
  if (!read_byte(in, format) || format != kStreamFormat) return false;
  if (!read_text(in, stream.table_name) || !read_text(in, stream.table_arn) || !read_text(in, stream.label) ||
      !read_byte(in, view_type) || view_type > static_cast<uint32_t>(StreamViewType::kNewAndOldImages) ||
      !read_byte(in, stream.slots) || stream.slots == 0) {
    return false;
  }
  stream.view_type = static_cast<StreamViewType>(view_type);
  return read_ms(in, stream.created_ms) && read_ms(in, stream.disabled_ms) && read_varint(in, stream.last_commit) &&
         read_varint(in, stream.trimmed_commit) && read_attributes(in, stream.key.hash) &&
         read_attributes(in, stream.key.range) && read_generations(in, stream.generations) &&
         (in.empty() || (read_text(in, stream.resource_policy) && read_ms(in, stream.resource_policy_ms))) &&
         in.empty();
}

}  // namespace

std::string encode_stream(const Stream& stream) {
  std::string out(1, kStreamFormat);
  append_sized(out, stream.table_name);
  append_sized(out, stream.table_arn);
  append_sized(out, stream.label);
  out.push_back(static_cast<char>(stream.view_type));
  out.push_back(static_cast<char>(stream.slots));
  append_varint(out, static_cast<uint64_t>(stream.created_ms));
  append_varint(out, static_cast<uint64_t>(stream.disabled_ms));
  append_varint(out, stream.last_commit);
  append_varint(out, stream.trimmed_commit);
  append_attributes(out, stream.key.hash);
  append_attributes(out, stream.key.range);
  append_varint(out, stream.generations.size());
  for (const auto& generation : stream.generations) {
    append_varint(out, generation.first_commit);
    append_varint(out, static_cast<uint64_t>(generation.started_ms));
    append_varint(out, static_cast<uint64_t>(generation.parent_started_ms));
  }
  if (!stream.resource_policy.empty()) {
    append_sized(out, stream.resource_policy);
    append_varint(out, static_cast<uint64_t>(stream.resource_policy_ms));
  }
  return out;
}

bool operator==(const Stream& a, const Stream& b) { return a.id == b.id && encode_stream(a) == encode_stream(b); }

Result<Stream> decode_stream(uint32_t id, std::string_view bytes) {
  Stream stream;
  stream.id = id;
  if (!read_stream(bytes, stream)) {
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
