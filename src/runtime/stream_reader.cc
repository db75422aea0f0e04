#include "runtime/stream_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "design/plan.h"

namespace trestle::runtime {
namespace {

constexpr int64_t kRefreshMs = 5'000;
constexpr int64_t kRecordsMax = 1000;

std::unexpected<Refused> failed(const Error& error) { return std::unexpected(refused_by(error)); }

StreamPosition position_of(ItemView item) {
  StreamPosition position;
  if (const auto number = item.find("sequence_number")) position.sequence_number = number->scalar();
  position.ended = item.find("ended").has_value();
  return position;
}

}  // namespace

std::string StreamReader::partition() const {
  return place_.consumer.empty() ? "STREAM#" + place_.design
                                 : fmt::format("STREAM#{}#{}", place_.design, place_.consumer);
}

TransactWrite StreamReader::checkpoint(const std::string& shard, const StreamPosition& from,
                                       const StreamPosition& to) const {
  TransactWrite write{.kind = TransactWrite::Kind::kPut, .table_name = std::string(design::kJournalTable)};
  const Value partition_value = Value::string(partition()), name = Value::string(shard);
  const Value number = Value::string(to.sequence_number), ended = Value::boolean(true);
  std::vector<Field> fields = {{"PK", partition_value}, {"SK", name}};
  if (!to.sequence_number.empty()) fields.push_back({"sequence_number", number});
  if (to.ended) fields.push_back({"ended", ended});
  write.item = Item(std::move(fields));
  if (from.sequence_number.empty()) {
    write.condition.expression = "attribute_not_exists(#n)";
  } else {
    write.condition.expression = "#n = :n";
    write.placeholders.values = ValueMap{{":n", Value::string(from.sequence_number)}};
  }
  // An end is never taken back.
  *write.condition.expression += " AND attribute_not_exists(#e)";
  write.placeholders.names = NameMap{{"#n", "sequence_number"}, {"#e", "ended"}};
  return write;
}

Outcome<void> StreamReader::store(const std::string& shard, const StreamPosition& from, const StreamPosition& to) {
  TransactWrite write = checkpoint(shard, from, to);
  PutItemRequest request{.table_name = write.table_name, .item = std::move(write.item)};
  request.condition = std::move(write.condition);
  request.placeholders = std::move(write.placeholders);
  const auto done = database_.put_item(request);
  if (!done) return failed(done.error());
  note_stored(shard, to);
  return {};
}

void StreamReader::note_stored(const std::string& shard, const StreamPosition& position) {
  const auto found = shards_.find(shard);
  if (found == shards_.end()) return;
  found->second.stored = position;
  found->second.unstored = 0;
}

void StreamReader::forget() {
  shards_.clear();
  known_ = false;
}

Outcome<void> StreamReader::read_checkpoints() {
  QueryRequest query;
  query.table_name = design::kJournalTable;
  query.key_condition_expression = "#PK = :PK AND begins_with(#SK, :SK)";
  query.placeholders.names = NameMap{{"#PK", "PK"}, {"#SK", "SK"}};
  query.placeholders.values = ValueMap{{":PK", Value::string(partition())}, {":SK", Value::string(place_.table + "/")}};
  query.consistent_read = true;
  do {
    const auto page = database_.query(query);
    if (!page) return failed(page.error());
    for (size_t i = 0; i < page->items.size(); ++i) {
      const std::string name(page->items[i].find("SK")->scalar());
      Shard& shard = shards_[name];
      shard.id = name.substr(name.rfind('/') + 1);
      shard.read = shard.stored = position_of(page->items[i]);
      shard.listed = false;
    }
    query.exclusive_start_key = page->last_evaluated_key;
  } while (query.exclusive_start_key);
  return {};
}

Outcome<void> StreamReader::list_shards() {
  const auto table = database_.describe_table({.table_name = place_.table});
  if (!table) return failed(table.error());
  if (table->table.stream_label.empty()) return refuse(500, fmt::format("The table {} has no stream.", place_.table));
  label_ = table->table.stream_label;
  arn_ = fmt::format("{}/stream/{}", table->table.arn, label_);
  for (auto& [name, shard] : shards_) shard.listed = false;
  DescribeStreamRequest request{.stream_arn = arn_};
  do {
    const auto page = database_.describe_stream(request);
    if (!page) return failed(page.error());
    for (const ShardDescription& one : page->stream.shards) {
      Shard& shard = shards_[fmt::format("{}/{}/{}", place_.table, label_, one.id)];
      shard.id = one.id;
      shard.parent = one.parent_id.value_or("");
      shard.listed = true;
    }
    request.exclusive_start_shard_id = page->stream.last_evaluated_shard_id;
  } while (request.exclusive_start_shard_id);
  return {};
}

// What the stream no longer has needs no checkpoint.
Outcome<void> StreamReader::drop_old_checkpoints() {
  for (auto shard = shards_.begin(); shard != shards_.end();) {
    if (shard->second.listed) {
      ++shard;
      continue;
    }
    const auto done =
        database_.delete_item({.table_name = std::string(design::kJournalTable),
                               .key = Item({{"PK", Value::string(partition())}, {"SK", Value::string(shard->first)}})});
    if (!done) return failed(done.error());
    shard = shards_.erase(shard);
  }
  return {};
}

Outcome<void> StreamReader::refresh(int64_t now_ms) {
  if (known_ && now_ms - refreshed_ms_ < kRefreshMs && now_ms >= refreshed_ms_) return {};
  if (!known_) {
    shards_.clear();
    TRY(read_checkpoints());
  }
  TRY(list_shards());
  TRY(drop_old_checkpoints());
  known_ = true;
  refreshed_ms_ = now_ms;
  return {};
}

bool StreamReader::may_read(const Shard& shard) const {
  if (shard.read.ended) return false;
  if (shard.parent.empty()) return true;
  const auto parent = shards_.find(fmt::format("{}/{}/{}", place_.table, label_, shard.parent));
  return parent == shards_.end() || parent->second.stored.ended;
}

Outcome<void> StreamReader::open(Shard& shard) {
  GetShardIteratorRequest request{.stream_arn = arn_, .shard_id = shard.id};
  if (!shard.read.sequence_number.empty()) {
    request.type = ShardIteratorType::kAfterSequenceNumber;
    request.sequence_number = shard.read.sequence_number;
  }
  auto opened = database_.get_shard_iterator(request);
  if (!opened && opened.error().code == ErrorCode::kTrimmedDataAccess) {
    ++gaps_;
    opened = database_.get_shard_iterator({.stream_arn = arn_, .shard_id = shard.id});
  }
  if (!opened) return failed(opened.error());
  shard.iterator = std::move(opened->shard_iterator);
  return {};
}

Outcome<std::optional<StreamBatch>> StreamReader::read(const std::string& name, Shard& shard) {
  if (!shard.iterator) TRY(open(shard));
  auto page = database_.get_records({.shard_iterator = *shard.iterator, .limit = kRecordsMax});
  if (!page &&
      (page.error().code == ErrorCode::kExpiredIterator || page.error().code == ErrorCode::kTrimmedDataAccess)) {
    TRY(open(shard));
    page = database_.get_records({.shard_iterator = *shard.iterator, .limit = kRecordsMax});
  }
  if (!page) return failed(page.error());
  const bool ended = !page->next_shard_iterator.has_value();
  shard.iterator = std::move(page->next_shard_iterator);
  if (page->records.empty() && !ended) return std::nullopt;
  StreamBatch batch{.shard = name, .stored = shard.stored, .end = shard.read, .unstored = shard.unstored};
  if (!page->records.empty()) batch.end.sequence_number = page->records.back().sequence_number;
  batch.end.ended = ended;
  batch.records = std::move(page->records);
  return batch;
}

Outcome<size_t> StreamReader::poll(const Apply& apply, int64_t now_ms) {
  const auto once = [&]() -> Outcome<size_t> {
    TRY(refresh(now_ms));
    size_t records = 0;
    drained_ = true;
    lag_ms_ = 0;
    for (auto& [name, shard] : shards_) {
      if (!may_read(shard)) {
        // A child that waits for its parent may hold more.
        drained_ &= shard.read.ended;
        continue;
      }
      TRY_INTO(auto batch, read(name, shard));
      if (!batch) continue;
      drained_ = false;
      if (!batch->records.empty()) lag_ms_ = std::max(lag_ms_, now_ms - batch->records.front().created_ms);
      TRY_INTO(const bool stored, apply(*batch));
      records += batch->records.size();
      shard.read = batch->end;
      shard.unstored += batch->records.size();
      if (stored) note_stored(name, batch->end);
      if (batch->end.ended) refreshed_ms_ = 0;  // it has children by now
    }
    return records;
  };
  auto done = once();
  if (!done) forget();
  return done;
}

}  // namespace trestle::runtime
