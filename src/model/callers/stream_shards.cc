#include "model/callers/stream_shards.h"

#include <fmt/format.h>

#include "model/limits.h"

namespace trestle {

std::string StreamShards::name_of(const std::string& id) const { return fmt::format("{}/{}/{}", table_, label_, id); }

void StreamShards::clear() {
  dropped_gaps_ = gaps();
  shards_.clear();
}

void StreamShards::resume(const std::string& name, const ShardPosition& position) {
  Shard& shard = shards_[name];
  shard.id = name.substr(name.rfind('/') + 1);
  shard.read = shard.stored = position;
}

// The ARN is requested because not every endpoint derives it from the table's ARN.
Result<void> StreamShards::find_stream() {
  TRY_INTO(const auto table, database_->describe_table({.table_name = table_}));
  const std::string& label = table.table.stream_label;
  if (label.empty()) return failure(ErrorCode::kValidation, fmt::format("The table {} has no stream.", table_));
  enabled_ = table.table.stream.has_value();
  if (label == label_) return {};
  label_ = label;
  arn_ = fmt::format("{}/stream/{}", table.table.arn, label_);
  ListStreamsRequest request{.table_name = table_};
  do {
    const auto page = database_->list_streams(request);
    if (!page) return {};
    for (const StreamSummary& stream : page->streams) {
      if (stream.label == label_) arn_ = stream.arn;
    }
    request.exclusive_start_stream_arn = page->last_evaluated_stream_arn;
  } while (request.exclusive_start_stream_arn);
  return {};
}

Result<void> StreamShards::list() {
  TRY(find_stream());
  for (auto& [name, shard] : shards_) shard.listed = false;
  DescribeStreamRequest request{.stream_arn = arn_};
  do {
    TRY_INTO(const auto page, database_->describe_stream(request));
    for (const ShardDescription& shard_description : page.stream.shards) {
      Shard& shard = shards_[name_of(shard_description.id)];
      shard.id = shard_description.id;
      shard.parent = shard_description.parent_id.value_or("");
      shard.listed = true;
      shard.open = !shard_description.ending_sequence_number.has_value();
    }
    request.exclusive_start_shard_id = page.stream.last_evaluated_shard_id;
  } while (request.exclusive_start_shard_id);
  return {};
}

std::vector<std::string> StreamShards::gone() const {
  std::vector<std::string> names;
  for (const auto& [name, shard] : shards_) {
    if (!shard.listed) names.push_back(name);
  }
  return names;
}

void StreamShards::drop(const std::string& name) {
  const auto found = shards_.find(name);
  if (found == shards_.end()) return;
  dropped_gaps_ += found->second.gaps;
  shards_.erase(found);
}

bool StreamShards::may_read(const Shard& shard) const {
  if (shard.read.ended) return false;
  if (shard.parent.empty()) return true;
  const auto parent = shards_.find(name_of(shard.parent));
  return parent == shards_.end() || parent->second.stored.ended;
}

std::vector<std::string> StreamShards::readable() const {
  std::vector<std::string> names;
  for (const auto& [name, shard] : shards_) {
    if (may_read(shard)) names.push_back(name);
  }
  return names;
}

bool StreamShards::all_ended() const {
  for (const auto& [name, shard] : shards_) {
    if (!shard.read.ended) return false;
  }
  return true;
}

Result<void> StreamShards::open(Shard& shard) {
  GetShardIteratorRequest request{.stream_arn = arn_, .shard_id = shard.id};
  if (!shard.read.sequence_number.empty()) {
    request.type = ShardIteratorType::kAfterSequenceNumber;
    request.sequence_number = shard.read.sequence_number;
  }
  auto opened = database_->get_shard_iterator(request);
  if (!opened && opened.error().code == ErrorCode::kTrimmedDataAccess) {
    ++shard.gaps;
    opened = database_->get_shard_iterator({.stream_arn = arn_, .shard_id = shard.id});
  }
  if (!opened) return std::unexpected(std::move(opened.error()));
  shard.iterator = std::move(opened->shard_iterator);
  return {};
}

Result<std::string> StreamShards::latest_iterator(const std::string& name) {
  TRY_INTO(auto opened, database_->get_shard_iterator({.stream_arn = arn_,
                                                       .shard_id = shards_.at(name).id,
                                                       .type = ShardIteratorType::kLatest,
                                                       .sequence_number = {}}));
  return std::move(opened.shard_iterator);
}

Result<std::optional<StreamShards::Page>> StreamShards::read(const std::string& name) {
  Shard& shard = shards_.at(name);
  if (!shard.iterator) TRY(open(shard));
  const auto ask = [&] {
    return database_->get_records(
        {.shard_iterator = *shard.iterator, .limit = static_cast<int64_t>(kStreamRecordsMax)});
  };
  auto page = ask();
  if (!page &&
      (page.error().code == ErrorCode::kExpiredIterator || page.error().code == ErrorCode::kTrimmedDataAccess)) {
    // If the shard has a position, open() detects the gap instead.
    if (page.error().code == ErrorCode::kTrimmedDataAccess && shard.read.sequence_number.empty()) ++shard.gaps;
    TRY(open(shard));
    page = ask();
  }
  if (!page) return std::unexpected(std::move(page.error()));
  const bool ended = !page->next_shard_iterator.has_value();
  shard.iterator = std::move(page->next_shard_iterator);
  if (page->records.empty() && !ended) return std::nullopt;
  Page read{.records = {}, .end = shard.read, .view_type = page->view_type};
  if (!page->records.empty()) read.end.sequence_number = page->records.back().sequence_number;
  read.end.ended = ended;
  read.records = std::move(page->records);
  return read;
}

void StreamShards::note_read(const std::string& name, const ShardPosition& position, size_t records) {
  const auto found = shards_.find(name);
  if (found == shards_.end()) return;
  found->second.read = position;
  found->second.unstored += records;
}

void StreamShards::note_stored(const std::string& name, const ShardPosition& position) {
  const auto found = shards_.find(name);
  if (found == shards_.end()) return;
  found->second.stored = position;
  found->second.unstored = 0;
}

uint64_t StreamShards::gaps() const {
  uint64_t sum = dropped_gaps_;
  for (const auto& [name, shard] : shards_) sum += shard.gaps;
  return sum;
}

}  // namespace trestle
