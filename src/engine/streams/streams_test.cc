// End-to-end tests of streams: the records that a consumer reads after writes.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "base/scratch_folder.h"
#include "engine/durations_for_test.h"
#include "engine/items/item_changes.h"
#include "engine/quiet_engine.h"
#include "engine/streams/shard_iterator.h"

namespace trestle {
namespace {

struct StreamsFixture : QuietTable {
  explicit StreamsFixture(const std::string& in = {}, int64_t retention_ms = 24 * kHourMs) : QuietTable(in) {
    EngineOptions engine_options = options();
    engine_options.streams.retention_ms = retention_ms;
    open(std::move(engine_options));
  }
  void create(StreamViewType view = StreamViewType::kNewAndOldImages) const {
    QuietTable::create(StreamSpecification{.enabled = true, .view_type = view});
  }
  void set_stream(std::optional<StreamViewType> view) const {
    UpdateTableRequest request{.table_name = "table"};
    request.stream = StreamSpecification{.enabled = view.has_value(), .view_type = view};
    const auto answer = engine->update_table(request);
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
  }
  std::string arn() const {
    const TableDescription table = engine->describe_table({.table_name = "table"})->table;
    return table.arn + "/stream/" + table.stream_label;
  }
  std::vector<ShardDescription> shards() const {
    std::vector<ShardDescription> shards;
    std::optional<std::string> start;
    do {
      auto page = engine->describe_stream({.stream_arn = arn(), .exclusive_start_shard_id = start})->stream;
      shards.insert(shards.end(), page.shards.begin(), page.shards.end());
      start = page.last_evaluated_shard_id;
    } while (start);
    return shards;
  }
  Result<std::string> iterator(const std::string& shard, ShardIteratorType type = ShardIteratorType::kTrimHorizon,
                               std::optional<std::string> number = std::nullopt) const {
    TRY_INTO(auto answer, engine->get_shard_iterator(
                              {.stream_arn = arn(), .shard_id = shard, .type = type, .sequence_number = number}));
    return answer.shard_iterator;
  }
  // All records of all shards, shard by shard.
  std::vector<StreamRecord> records() const {
    std::vector<StreamRecord> all;
    for (const auto& shard : shards()) {
      std::optional<std::string> next = *iterator(shard.id);
      while (next) {
        const auto page = engine->get_records({.shard_iterator = *next});
        EXPECT_TRUE(page.has_value());
        if (!page.has_value() || page->records.empty()) break;
        all.insert(all.end(), page->records.begin(), page->records.end());
        next = page->next_shard_iterator;
      }
    }
    return all;
  }
};

std::string code_of(const auto& result) {
  return result.has_value() ? "none" : std::to_string(static_cast<int>(result.error().code));
}
std::string code_of(ErrorCode code) { return std::to_string(static_cast<int>(code)); }

std::string image_text(const std::optional<Item>& item) {
  if (!item) return "-";
  const auto v = item->find("v");
  return v ? std::string(v->scalar()) : "key";
}

// Records as text: event, new image, old image; for example "INSERT 1 -".
std::vector<std::string> summaries(const std::vector<StreamRecord>& records) {
  constexpr const char* kNames[] = {"INSERT ", "MODIFY ", "REMOVE "};
  std::vector<std::string> lines;
  for (const auto& record : records) {
    lines.push_back(kNames[static_cast<int>(record.event)] + image_text(record.new_image) + " " +
                    image_text(record.old_image));
  }
  return lines;
}

class StreamViews : public testing::TestWithParam<std::pair<StreamViewType, std::vector<std::string>>> {};

TEST_P(StreamViews, changes_are_recorded_and_writes_without_effect_are_not) {
  StreamsFixture db;
  db.create(GetParam().first);
  db.put("a", 1);
  db.put("a", 1);  // no change, hence no record
  db.put("a", 2);
  db.erase("a");
  db.erase("a");  // there is no such item, hence no record
  UpdateItemRequest update{.table_name = "table", .key = Item{{"pk", Value::string("a")}}};
  ASSERT_TRUE(db->update_item(update).has_value());  // creates an item with only a key
  ASSERT_TRUE(db->update_item(update).has_value());  // and changes nothing
  EXPECT_EQ(summaries(db.records()), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(
    All, StreamViews,
    testing::Values(std::pair{StreamViewType::kKeysOnly,
                              std::vector<std::string>{"INSERT - -", "MODIFY - -", "REMOVE - -", "INSERT - -"}},
                    std::pair{StreamViewType::kNewImage,
                              std::vector<std::string>{"INSERT 1 -", "MODIFY 2 -", "REMOVE - -", "INSERT key -"}},
                    std::pair{StreamViewType::kOldImage,
                              std::vector<std::string>{"INSERT - -", "MODIFY - 1", "REMOVE - 2", "INSERT - -"}},
                    std::pair{StreamViewType::kNewAndOldImages,
                              std::vector<std::string>{"INSERT 1 -", "MODIFY 2 1", "REMOVE - 2", "INSERT key -"}}));

TEST(Streams, a_record_has_keys_size_time_and_order) {
  StreamsFixture db;
  db.create();
  db.put("a", 1);
  db.clock->advance_ms(5'000);
  db.put("a", 2);
  const auto records = db.records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].keys, (Item{{"pk", Value::string("a")}}));
  EXPECT_EQ(records[0].size_bytes, 3u + 6u);
  EXPECT_EQ(records[1].size_bytes, 3u + 6u + 6u);
  EXPECT_EQ(records[1].created_ms - records[0].created_ms, 5'000);
  EXPECT_LT(records[0].sequence_number, records[1].sequence_number);
  EXPECT_NE(records[0].event_id, records[1].event_id);
}

TEST(Streams, a_batch_writes_one_record_for_each_item_it_changes) {
  StreamsFixture db;
  db.create();
  db.put("b", 1);
  std::vector<Item> items;
  for (const char* pk : {"a", "b", "c", "d", "e"})
    items.push_back({{"pk", Value::string(pk)}, {"v", Value::number(1)}});
  BatchWriteItemRequest request;
  auto& writes = request.tables.emplace_back();
  writes.table_name = "table";
  for (const Item& item : items) writes.writes.push_back({.is_delete = false, .item = item});
  ASSERT_TRUE(db->batch_write_item(request).has_value());
  std::set<std::string> numbers;
  for (const auto& record : db.records()) numbers.insert(record.sequence_number);
  EXPECT_EQ(numbers.size(), 5u);  // b did not change
}

TEST(Streams, time_to_live_deletions_carry_their_origin) {
  StreamsFixture db;
  db.create();
  ASSERT_TRUE(db->update_time_to_live({.table_name = "table", .attribute_name = "v", .enabled = true}).has_value());
  db.engine->wait_idle();
  db.put("a", db.clock->now_ms() / 1000 - 10);
  db.engine->sweep_expired();
  const auto records = db.records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].origin, WriteOrigin::kClient);
  EXPECT_EQ(records[1].event, StreamEvent::kRemove);
  EXPECT_EQ(records[1].origin, WriteOrigin::kTimeToLive);
}

TEST(Streams, iterators_of_every_kind_start_where_they_say) {
  StreamsFixture db;
  db.create();
  for (int64_t i = 1; i <= 3; ++i) db.put("a", i);
  const auto records = db.records();
  ASSERT_EQ(records.size(), 3u);
  std::string shard;
  for (const auto& candidate : db.shards()) {
    if (!db->get_records({.shard_iterator = *db.iterator(candidate.id)})->records.empty()) shard = candidate.id;
  }
  const auto read = [&](const Result<std::string>& iterator) {
    return summaries(db->get_records({.shard_iterator = *iterator})->records);
  };
  using Type = ShardIteratorType;
  EXPECT_EQ(read(db.iterator(shard)).size(), 3u);
  EXPECT_EQ(read(db.iterator(shard, Type::kAtSequenceNumber, records[1].sequence_number)).size(), 2u);
  EXPECT_EQ(read(db.iterator(shard, Type::kAfterSequenceNumber, records[1].sequence_number)).size(), 1u);
  const auto latest = db.iterator(shard, Type::kLatest);
  EXPECT_EQ(read(latest).size(), 0u);
  db.put("a", 4);
  EXPECT_EQ(read(latest), std::vector<std::string>{"MODIFY 4 3"});
  for (const auto& any : db.shards()) {
    EXPECT_TRUE(db.iterator(any.id, Type::kAtSequenceNumber, any.starting_sequence_number).has_value());
  }
  EXPECT_EQ(code_of(db.iterator(shard, Type::kAtSequenceNumber, "100000000000000000000000000")),
            code_of(ErrorCode::kValidation));
  EXPECT_EQ(code_of(db.iterator("shardId-00000000000000000000-00000000")), code_of(ErrorCode::kResourceNotFound));
}

TEST(Streams, pages_end_at_the_limit_and_at_a_megabyte) {
  StreamsFixture db;
  db.create(StreamViewType::kNewImage);
  const std::string large(300'000, 'x');
  for (int64_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(
        db->put_item({.table_name = "table",
                      .item = Item{{"pk", Value::string("a")}, {"v", Value::number(i)}, {"x", Value::string(large)}}})
            .has_value());
  }
  for (const auto& shard : db.shards()) {
    std::vector<size_t> pages;
    std::string next = *db.iterator(shard.id);
    for (int i = 0; i < 4; ++i) {
      const auto page = db->get_records({.shard_iterator = next, .limit = i == 0 ? 1 : 1000});
      ASSERT_TRUE(page.has_value());
      pages.push_back(page->records.size());
      next = *page->next_shard_iterator;
    }
    if (pages[0] == 0) continue;  // the records are in another shard
    EXPECT_EQ(pages, (std::vector<size_t>{1, 3, 1, 0}));
  }
}

TEST(Streams, an_iterator_lives_for_fifteen_minutes) {
  StreamsFixture db;
  db.create();
  const std::string iterator = *db.iterator(db.shards()[0].id);
  db.clock->advance_ms(kShardIteratorMs);
  const auto page = db->get_records({.shard_iterator = iterator});
  ASSERT_TRUE(page.has_value());
  db.clock->advance_ms(1);
  EXPECT_EQ(code_of(db->get_records({.shard_iterator = iterator})), code_of(ErrorCode::kExpiredIterator));
  EXPECT_TRUE(db->get_records({.shard_iterator = *page->next_shard_iterator}).has_value());
  EXPECT_EQ(code_of(db->get_records({.shard_iterator = "no such thing"})), code_of(ErrorCode::kValidation));
}

TEST(Streams, shards_roll_after_four_hours_and_keep_their_lineage_across_a_restart) {
  ScratchFolder folder;
  std::vector<ShardDescription> before;
  {
    StreamsFixture db(folder.path());
    db.create();
    db.put("a", 1);
    const auto parents = db.shards();
    db.clock->advance_ms(4 * kHourMs - 1);
    db.engine->maintain_streams();
    EXPECT_EQ(db.shards().size(), 4u);
    db.clock->advance_ms(1);
    db.engine->maintain_streams();
    db.put("a", 2);
    before = db.shards();
    ASSERT_EQ(before.size(), 8u);
    for (size_t slot = 0; slot < 4; ++slot) {
      EXPECT_EQ(before[slot].id, parents[slot].id);
      EXPECT_TRUE(before[slot].ending_sequence_number.has_value());
      EXPECT_EQ(before[slot + 4].parent_id, parents[slot].id);
      EXPECT_FALSE(before[slot + 4].ending_sequence_number.has_value());
      EXPECT_LT(*before[slot].ending_sequence_number, before[slot + 4].starting_sequence_number);
      EXPECT_LT(before[slot].id, before[slot + 4].id);
      const ShardFilter filter{.type = ShardFilterType::kChildShards, .shard_id = parents[slot].id};
      const auto children = db->describe_stream({.stream_arn = db.arn(), .shard_filter = filter})->stream.shards;
      ASSERT_EQ(children.size(), 1u);
      EXPECT_EQ(children[0].id, before[slot + 4].id);
    }
  }
  StreamsFixture db(folder.path());
  const auto after = db.shards();
  ASSERT_EQ(after.size(), before.size());
  for (size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].id, before[i].id);
    EXPECT_EQ(after[i].parent_id, before[i].parent_id);
  }
  EXPECT_EQ(summaries(db.records()), (std::vector<std::string>{"INSERT 1 -", "MODIFY 2 1"}));
}

TEST(Streams, a_closed_shard_ends_and_an_open_one_does_not) {
  StreamsFixture db;
  db.create();
  const std::string shard = db.shards()[0].id;
  const std::string iterator = *db.iterator(shard);
  EXPECT_TRUE(db->get_records({.shard_iterator = iterator})->next_shard_iterator.has_value());
  db.set_stream(std::nullopt);
  EXPECT_FALSE(db->get_records({.shard_iterator = iterator})->next_shard_iterator.has_value());
  EXPECT_FALSE(db->get_records({.shard_iterator = *db.iterator(shard, ShardIteratorType::kLatest)})
                   ->next_shard_iterator.has_value());
}

TEST(Streams, a_disabled_stream_is_readable_for_a_day_and_enabling_creates_a_new_stream) {
  StreamsFixture db;
  db.create();
  db.put("a", 1);
  const std::string first = db.arn();
  db.set_stream(std::nullopt);
  db.put("a", 2);  // not recorded
  EXPECT_FALSE(db->describe_stream({.stream_arn = first})->stream.enabled);
  EXPECT_EQ(summaries(db.records()), std::vector<std::string>{"INSERT 1 -"});
  db.set_stream(StreamViewType::kKeysOnly);  // at the same millisecond
  db.put("a", 3);
  EXPECT_NE(db.arn(), first);
  EXPECT_EQ(summaries(db.records()), std::vector<std::string>{"MODIFY - -"});
  EXPECT_EQ(db->list_streams({.table_name = "table"})->streams.size(), 2u);
  db.clock->advance_ms(24 * kHourMs + 1);
  db.engine->maintain_streams();
  EXPECT_EQ(code_of(db->describe_stream({.stream_arn = first})), code_of(ErrorCode::kResourceNotFound));
  EXPECT_TRUE(db->describe_stream({.stream_arn = db.arn()}).has_value());
}

TEST(Streams, the_stream_of_a_deleted_table_is_distinct_from_that_of_a_new_table_with_its_name) {
  StreamsFixture db;
  db.create();
  db.put("a", 1);
  const std::string first = db.arn();
  ASSERT_TRUE(db->delete_table({.table_name = "table"}).has_value());
  db.create();
  EXPECT_NE(db.arn(), first);
  EXPECT_TRUE(db.records().empty());
  const auto old = db->describe_stream({.stream_arn = first});
  ASSERT_TRUE(old.has_value());
  EXPECT_FALSE(old->stream.enabled);
  EXPECT_EQ(db->list_streams({})->streams.size(), 2u);
}

TEST(Streams, records_are_trimmed_after_a_day_with_the_right_error) {
  StreamsFixture db;
  db.create();
  db.put("a", 1);
  db.clock->advance_ms(kHourMs);
  db.put("a", 2);
  const auto records = db.records();
  std::string shard;
  for (const auto& candidate : db.shards()) {
    if (!db->get_records({.shard_iterator = *db.iterator(candidate.id)})->records.empty()) shard = candidate.id;
  }
  db.clock->advance_ms(23 * kHourMs);
  db.engine->maintain_streams();
  EXPECT_EQ(db.records().size(), 2u);  // the first record is exactly a day old
  const auto horizon = db.iterator(shard);
  db.clock->advance_ms(5 * 60 * 1000);
  db.engine->maintain_streams();
  EXPECT_EQ(summaries(db.records()), std::vector<std::string>{"MODIFY 2 1"});
  EXPECT_EQ(code_of(db->get_records({.shard_iterator = *horizon})), code_of(ErrorCode::kTrimmedDataAccess));
  EXPECT_EQ(code_of(db.iterator(shard, ShardIteratorType::kAtSequenceNumber, records[0].sequence_number)),
            code_of(ErrorCode::kTrimmedDataAccess));
  EXPECT_TRUE(db.iterator(shard, ShardIteratorType::kAtSequenceNumber, records[1].sequence_number).has_value());
}

TEST(Streams, trimming_finds_the_right_record_among_many) {
  StreamsFixture db;
  db.create(StreamViewType::kKeysOnly);
  for (int64_t i = 0; i < 500; ++i) {
    db.put(std::to_string(i % 37), i);
    db.clock->advance_ms(1'000);
  }
  // About a day after record 200 was written, within half a second: records 0 to 200 are older than a day.
  db.clock->advance_ms(24 * kHourMs - 299'500);
  db.engine->maintain_streams();
  EXPECT_EQ(db.records().size(), 299u);
}

TEST(Streams, shards_whose_records_are_all_trimmed_are_removed) {
  StreamsFixture db;
  db.create();
  for (int64_t hour = 0; hour <= 48; hour += 4) {
    db.put("a", hour);
    db.engine->maintain_streams();
    db.clock->advance_ms(4 * kHourMs);
  }
  db.engine->maintain_streams();
  const auto shards = db.shards();
  EXPECT_GE(shards.size(), 4u * 6);
  EXPECT_LE(shards.size(), 4u * 8);
  EXPECT_TRUE(shards[0].parent_id.has_value());  // present although the parent is deleted
  EXPECT_EQ(db.records().size(), 6u);
}

TEST(Streams, descriptions_and_lists_come_in_pages) {
  StreamsFixture db;
  db.create();
  db.clock->advance_ms(4 * kHourMs);
  db.engine->maintain_streams();
  std::vector<std::string> ids;
  std::optional<std::string> start;
  do {
    const auto page =
        db->describe_stream({.stream_arn = db.arn(), .limit = 3, .exclusive_start_shard_id = start})->stream;
    for (const auto& shard : page.shards) ids.push_back(shard.id);
    start = page.last_evaluated_shard_id;
  } while (start);
  EXPECT_EQ(ids.size(), 8u);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  db.set_stream(std::nullopt);
  db.clock->advance_ms(1);
  db.set_stream(StreamViewType::kKeysOnly);
  const auto first = db->list_streams({.limit = 1});
  ASSERT_EQ(first->streams.size(), 1u);
  ASSERT_TRUE(first->last_evaluated_stream_arn.has_value());
  const auto second = db->list_streams({.limit = 1, .exclusive_start_stream_arn = first->last_evaluated_stream_arn});
  ASSERT_EQ(second->streams.size(), 1u);
  EXPECT_FALSE(second->last_evaluated_stream_arn.has_value());
}

// Reads every shard, parents before children, like a consumer that follows the stream continuously.
struct Follower {
  const StreamsFixture& db;
  std::map<std::string, std::optional<std::string>> places;  // iterators by shard; nothing: read to its end
  std::map<std::string, int64_t> seen = {};                  // the last value by key
  size_t count = 0;

  // Reads new records. Returns whether there were any.
  bool poll() {
    const size_t before = count;
    for (const auto& shard : db.shards()) {
      // Skip a shard whose parent was not read to its end. (A parent that is skipped itself has no iterator yet.)
      if (shard.parent_id && (!places.contains(*shard.parent_id) || places[*shard.parent_id])) continue;
      if (!places.contains(shard.id)) places[shard.id] = *db.iterator(shard.id);
      auto& place = places[shard.id];
      if (!place) continue;
      const auto page = db->get_records({.shard_iterator = *place});
      EXPECT_TRUE(page.has_value());
      for (const auto& record : page->records) take(record);
      place = page->next_shard_iterator;
    }
    return count > before;
  }
  // Checks that each value of a key follows the previous one, so that none is missing or duplicated.
  void take(const StreamRecord& record) {
    ++count;
    const std::string key(record.keys.find("pk")->scalar());
    const int64_t value = std::stoll(image_text(record.new_image));
    EXPECT_EQ(value, seen[key] + 1) << key;
    seen[key] = value;
  }
};

TEST(Streams, a_consumer_neither_misses_nor_repeats_records_while_shards_roll) {
  // With this retention records are never trimmed, although the clock jumps and a writer may be slow.
  StreamsFixture db({}, INT64_MAX / 2);
  db.create(StreamViewType::kNewImage);
  constexpr int kWriters = 4;
  constexpr int64_t kWrites = 3'000;
  std::atomic<int> writing{kWriters};
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&db, &writing, w] {
      for (int64_t i = 0; i < kWrites; ++i) db.put(std::to_string(w * 10 + i % 10), i / 10 + 1);
      --writing;
    });
  }
  Follower follower{db, {}};
  while (writing > 0) {
    follower.poll();
    db.clock->advance_ms(4 * kHourMs / 100);
    db.engine->maintain_streams();
  }
  for (auto& writer : writers) writer.join();
  int idle = 0;
  while (idle < 3) idle = follower.poll() ? 0 : idle + 1;
  EXPECT_EQ(follower.count, static_cast<size_t>(kWriters * kWrites));
}

}  // namespace
}  // namespace trestle
