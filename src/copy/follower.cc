#include <fmt/format.h>

#include <algorithm>

#include "copy/follow.h"
#include "copy/key_names.h"
#include "copy/parallel.h"
#include "model/callers/complete_batches.h"
#include "model/limits.h"

namespace trestle::copy {
namespace {

constexpr int64_t kRefreshMs = 5'000;
constexpr int64_t kRetentionMs = int64_t{24} * 60 * 60 * 1000;

// Sequence numbers are decimal numbers of up to 40 digits.
bool is_before(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

Result<StreamState> note_stream(Database& source, const std::string& table, int64_t now_ms) {
  StreamShards shards(source, table);
  TRY(shards.list());
  StreamState state{.label = shards.label(), .followed_ms = now_ms};
  for (const auto& [name, shard] : shards.all()) state.shards[name] = {.sequence_number = {}, .ended = !shard.open};
  return state;
}

Follower::Follower(const FollowParts& parts, size_t table)
    : parts_(parts), table_(table), shards_(parts.source, parts.state.read().tables.at(table).source) {
  const CopyState state = parts.state.read();
  const TableState& table_state = state.tables.at(table);
  target_ = table_state.target;
  label_ = table_state.stream->label;
  followed_ms_ = table_state.stream->followed_ms;
  for (const auto& [name, position] : table_state.stream->shards) shards_.resume(name, position);
}

std::unexpected<Error> Follower::lost() const {
  return failure(
      ErrorCode::kTrimmedDataAccess,
      fmt::format("changes in the stream of {} were lost before they were read (it retains 24 hours, and nothing "
                  "once it is disabled): copy again with --restart",
                  shards_.table()));
}

Result<void> Follower::refresh() {
  const int64_t now_ms = parts_.clock.now_ms();
  if (now_ms - refreshed_ms_ < kRefreshMs && now_ms >= refreshed_ms_) return {};
  TRY(with_retries(parts_.pace.patience, parts_.pace.stop, [&] { return shards_.list(); }));
  if (shards_.label() != label_) return lost();
  for (const std::string& name : shards_.gone()) {
    if (!shards_[name].stored.ended) return lost();
    shards_.drop(name);
    parts_.state.change([&](CopyState& state) { state.tables[table_].stream->shards.erase(name); });
  }
  refreshed_ms_ = now_ms;
  return {};
}

Result<Follower::Pages> Follower::read_pages(const std::vector<std::string>& names) {
  Pages pages(names.size());
  TRY(in_parallel(parts_.threads, names.size(), [&](size_t i) -> Result<void> {
    auto page = with_retries(parts_.pace.patience, parts_.pace.stop, [&] { return shards_.read(names[i]); });
    if (!page) return std::unexpected(std::move(page.error()));
    pages[i] = std::move(*page);
    return {};
  }));
  return pages;
}

// The current items of the source, by key.
Result<std::map<std::string, Item>> Follower::read_items(std::vector<Item> keys) {
  std::map<std::string, Item> items;
  if (keys.empty()) return items;
  std::vector<std::string> names;
  for (const Field& field : keys.front().attributes()) names.emplace_back(field.name);
  std::ranges::sort(keys, {}, &Item::bytes);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const BatchGetItemRequest request{
      .tables = {{.table_name = shards_.table(), .keys = std::move(keys), .consistent_read = true}}};
  TRY_INTO(const auto reply,
           with_retries(parts_.pace.patience, parts_.pace.stop, [&] { return batch_get_all(parts_.source, request); }));
  for (const auto& [table, found] : reply.responses) {
    for (size_t i = 0; i < found.size(); ++i) items.emplace(project(found[i], names).bytes(), Item(found[i]));
  }
  return items;
}

// The last change of each item, as a write.
Result<std::vector<BatchWrite>> Follower::writes_of(const Pages& pages) {
  std::map<std::string_view, const StreamRecord*> last;  // by key
  std::vector<Item> without_image;
  for (const auto& page : pages) {
    if (!page) continue;
    const bool images =
        page->view_type == StreamViewType::kNewImage || page->view_type == StreamViewType::kNewAndOldImages;
    for (const StreamRecord& record : page->records) {
      last[record.keys.bytes()] = &record;
      if (!images) without_image.push_back(record.keys);
    }
  }
  TRY_INTO(auto items, read_items(std::move(without_image)));
  std::vector<BatchWrite> writes;
  for (const auto& [key, record] : last) {
    if (const auto item = items.find(std::string(key)); item != items.end()) {
      writes.push_back({.item = std::move(item->second)});
    } else if (record->new_image) {
      writes.push_back({.item = *record->new_image});
    } else {
      writes.push_back({.is_delete = true, .item = record->keys});
    }
  }
  return writes;
}

Result<void> Follower::write(std::vector<BatchWrite> writes) {
  const size_t batches = (writes.size() + kBatchWriteRequestsMax - 1) / kBatchWriteRequestsMax;
  return in_parallel(parts_.threads, batches, [&](size_t i) {
    const size_t start = i * kBatchWriteRequestsMax, end = std::min(writes.size(), start + kBatchWriteRequestsMax);
    std::vector<BatchWrite> batch(std::make_move_iterator(writes.begin() + static_cast<std::ptrdiff_t>(start)),
                                  std::make_move_iterator(writes.begin() + static_cast<std::ptrdiff_t>(end)));
    return parts_.writer.write(target_, std::move(batch));
  });
}

Result<void> Follower::mark() {
  refreshed_ms_ = 0;
  TRY(refresh());
  marks_.clear();
  empty_shards_.clear();
  for (const auto& [name, shard] : shards_.all()) {
    if (shard.read.ended) continue;
    TRY_INTO(auto iterator,
             with_retries(parts_.pace.patience, parts_.pace.stop, [&] { return shards_.latest_iterator(name); }));
    marks_.push_back({.shard = name, .iterator = std::move(iterator)});
  }
  return {};
}

Result<void> Follower::look_for_later_record(Mark& mark) {
  if (!mark.iterator || !mark.first_later.empty()) return {};
  auto page = with_retries(parts_.pace.patience, parts_.pace.stop,
                           [&] { return parts_.source.get_records({.shard_iterator = *mark.iterator, .limit = 1}); });
  if (!page && page.error().code == ErrorCode::kExpiredIterator) {
    // The round took more than 15 minutes. A later end of the shard serves as well.
    TRY_INTO(mark.iterator, shards_.latest_iterator(mark.shard));
    return {};
  }
  if (!page) return std::unexpected(std::move(page.error()));
  mark.iterator = std::move(page->next_shard_iterator);
  if (!page->records.empty()) mark.first_later = page->records.front().sequence_number;
  return {};
}

Result<bool> Follower::has_reached_mark() {
  for (Mark& mark : marks_) TRY(look_for_later_record(mark));
  std::erase_if(marks_, [&](const Mark& mark) {
    const auto found = shards_.all().find(mark.shard);
    if (found == shards_.all().end() || found->second.read.ended) return true;
    if (mark.first_later.empty()) return empty_shards_.contains(mark.shard);
    return !is_before(found->second.read.sequence_number, mark.first_later);
  });
  return marks_.empty();
}

Result<Follower::Round> Follower::round() {
  const int64_t now_ms = parts_.clock.now_ms();
  if (now_ms - followed_ms_ > kRetentionMs) return lost();
  TRY(refresh());
  const std::vector<std::string> names = shards_.readable();
  Round round{.over = !shards_.enabled() && shards_.all_ended()};
  // A child that waits for its parent may have more records.
  round.drained = std::ranges::count_if(shards_.all(), [](const auto& shard) { return !shard.second.read.ended; }) ==
                  std::ssize(names);
  TRY_INTO(const Pages pages, read_pages(names));
  if (shards_.gaps() > 0) return lost();
  TRY_INTO(auto writes, writes_of(pages));
  TRY(write(std::move(writes)));
  empty_shards_.clear();
  for (size_t i = 0; i < names.size(); ++i) {
    if (!pages[i]) {
      empty_shards_.insert(names[i]);
      continue;
    }
    const StreamShards::Page& page = *pages[i];
    round.drained = false;
    round.records += page.records.size();
    if (!page.records.empty() && (round.oldest_ms == 0 || page.records.front().created_ms < round.oldest_ms)) {
      round.oldest_ms = page.records.front().created_ms;
    }
    shards_.note_read(names[i], page.end, page.records.size());
    shards_.note_stored(names[i], page.end);
    if (page.end.ended) refreshed_ms_ = 0;  // the shard now has children: list the shards again
  }
  followed_ms_ = round.oldest_ms == 0 ? now_ms : std::max(followed_ms_, std::min(now_ms, round.oldest_ms));
  parts_.state.change([&](CopyState& state) {
    StreamState& stream = *state.tables[table_].stream;
    stream.followed_ms = followed_ms_;
    stream.records += static_cast<int64_t>(round.records);
    for (const std::string& name : names) stream.shards[name] = shards_[name].stored;
  });
  return round;
}

}  // namespace trestle::copy
