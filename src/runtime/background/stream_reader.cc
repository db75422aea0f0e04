#include "runtime/background/stream_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "design/plan/plan.h"

namespace trestle::runtime {
namespace {

constexpr int64_t kRefreshMs = 5'000;

std::unexpected<Refused> failed(const Error& error) { return std::unexpected(refused_by(error)); }

ShardPosition position_of(ItemView item) {
  ShardPosition position;
  if (const auto number = item.find("sequence_number")) position.sequence_number = number->scalar();
  position.ended = item.find("ended").has_value();
  return position;
}

}  // namespace

std::string StreamReader::partition() const {
  return place_.consumer.empty() ? "STREAM#" + place_.design
                                 : fmt::format("STREAM#{}#{}", place_.design, place_.consumer);
}

TransactWrite StreamReader::checkpoint(const std::string& shard, const ShardPosition& from,
                                       const ShardPosition& to) const {
  TransactWrite write{.kind = TransactWrite::Kind::kPut, .table_name = std::string(design::kJournalTable)};
  const Value partition_value = Value::string(partition()), name = Value::string(shard);
  const Value number = Value::string(to.sequence_number), ended = Value::boolean(true);
  std::vector<Field> fields = {{"PK", partition_value}, {"SK", name}};
  if (!to.sequence_number.empty()) fields.push_back({"sequence_number", number});
  if (to.ended) fields.push_back({"ended", ended});
  write.item = Item(std::move(fields));
  // A shard that has ended never has a new checkpoint.
  if (from.sequence_number.empty()) {
    write.condition.expression = "attribute_not_exists(#n) AND attribute_not_exists(#e)";
  } else {
    write.condition.expression = "#n = :n AND attribute_not_exists(#e)";
    write.placeholders.values = ValueMap{{":n", Value::string(from.sequence_number)}};
  }
  write.placeholders.names = NameMap{{"#n", "sequence_number"}, {"#e", "ended"}};
  return write;
}

Outcome<void> StreamReader::store(const std::string& shard, const ShardPosition& from, const ShardPosition& to) {
  TransactWrite write = checkpoint(shard, from, to);
  PutItemRequest request{.table_name = write.table_name, .item = std::move(write.item)};
  request.condition = std::move(write.condition);
  request.placeholders = std::move(write.placeholders);
  const auto done = database_.put_item(request);
  if (!done) return failed(done.error());
  note_stored(shard, to);
  return {};
}

void StreamReader::note_stored(const std::string& shard, const ShardPosition& position) {
  shards_.note_stored(shard, position);
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
      shards_.resume(std::string(page->items[i].find("SK")->scalar()), position_of(page->items[i]));
    }
    query.exclusive_start_key = page->last_evaluated_key;
  } while (query.exclusive_start_key);
  return {};
}

// Deletes the checkpoints of shards that the stream no longer has.
Outcome<void> StreamReader::drop_old_checkpoints() {
  for (const std::string& name : shards_.gone()) {
    const auto done =
        database_.delete_item({.table_name = std::string(design::kJournalTable),
                               .key = Item({{"PK", Value::string(partition())}, {"SK", Value::string(name)}})});
    if (!done) return failed(done.error());
    shards_.drop(name);
  }
  return {};
}

Outcome<void> StreamReader::refresh(int64_t now_ms) {
  if (known_ && now_ms - refreshed_ms_ < kRefreshMs && now_ms >= refreshed_ms_) return {};
  if (!known_) {
    shards_.clear();
    TRY(read_checkpoints());
  }
  const auto listed = shards_.list();
  if (!listed) return failed(listed.error());
  TRY(drop_old_checkpoints());
  known_ = true;
  refreshed_ms_ = now_ms;
  return {};
}

Outcome<size_t> StreamReader::poll(const Apply& apply, int64_t now_ms) {
  const auto once = [&]() -> Outcome<size_t> {
    TRY(refresh(now_ms));
    size_t records = 0;
    drained_ = true;
    lag_ms_ = 0;
    for (const auto& [name, shard] : shards_.all()) {
      if (!shards_.may_read(shard)) {
        // A child that waits for its parent may have more records.
        drained_ &= shard.read.ended;
        continue;
      }
      auto page = shards_.read(name);
      if (!page) return failed(page.error());
      if (!page->has_value()) continue;
      StreamBatch batch{.shard = name,
                        .stored = shard.stored,
                        .end = (*page)->end,
                        .unstored = shard.unstored,
                        .records = std::move((*page)->records)};
      drained_ = false;
      if (!batch.records.empty()) lag_ms_ = std::max(lag_ms_, now_ms - batch.records.front().created_ms);
      TRY_INTO(const bool stored, apply(batch));
      records += batch.records.size();
      shards_.note_read(name, batch.end, batch.records.size());
      if (stored) note_stored(name, batch.end);
      if (batch.end.ended) refreshed_ms_ = 0;  // the shard now has children: list the shards again
    }
    return records;
  };
  auto done = once();
  if (!done) forget();
  return done;
}

}  // namespace trestle::runtime
