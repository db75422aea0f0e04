#include "storage/history_record.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/bytes.h"
#include "base/scratch_folder.h"
#include "storage/store.h"

namespace trestle {
namespace {

std::string unhex(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    bytes.push_back(static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
    i += 2;
  }
  return bytes;
}

TEST(HistoryRecord, bytes_are_as_documented) {
  const std::string key = unhex("00000007 4d954369 757365722331 0001");
  EXPECT_EQ(history_key(9, key, uint64_t{2} << 40 | 5), unhex("00000009 4d954369 757365722331 0001 0000020000000005"));
  const Item before{{"p", Value::string("a")}, {"v", Value::number(int64_t{7})}};
  EXPECT_EQ(history_value(300, before), unhex("01 000000000000012c 01 05000000 02 0170 040161 0176 050137"));
  EXPECT_EQ(history_value(300, ItemView()), unhex("01 000000000000012c"));
}

TEST(HistoryRecord, encoding_round_trips) {
  const std::string item_key = unhex("00000007 4d954369 6b 0001");
  const Item before{{"p", Value::string("a")}};
  const std::string key = history_key(9, item_key, 77);
  const std::string value = history_value(1234, before);
  const auto record = read_history_record(key, value);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->commit, 77u);
  EXPECT_EQ(record->time_ms, 1234);
  EXPECT_EQ(record->before, before.view());
  EXPECT_EQ(item_part(key), without_keyspace(item_key));
  EXPECT_EQ(key_in_keyspace(7, key.substr(0, key.size() - 8)), item_key);
}

TEST(HistoryRecord, invalid_records_are_rejected) {
  const std::string key = history_key(9, unhex("00000007 4d954369 6b 0001"), 77);
  EXPECT_FALSE(read_history_record(key, "").has_value());
  EXPECT_FALSE(read_history_record(key, unhex("02 000000000000012c")).has_value());
  EXPECT_FALSE(read_history_record(key, unhex("01 0000")).has_value());
}

TEST(HistoryRecord, compaction_drops_exactly_the_unneeded_records) {
  auto store = Store::open({.folder = {}, .in_memory = true, .cache_bytes = size_t{8} << 20});
  ASSERT_TRUE(store.has_value());
  const std::string item_key = unhex("00000001 4d954369 6b 0001");
  Batch batch(**store);
  for (uint64_t commit = 1; commit <= 10; ++commit) {
    for (const uint32_t keyspace : {8u, 9u}) {
      batch.put(Space::kHistory, history_key(keyspace, item_key, commit),
                history_value(static_cast<int64_t>(commit) * 100, ItemView()));
    }
  }
  ASSERT_TRUE((*store)->commit(batch).has_value());
  (*store)->set_history_cutoffs({{9, 400}});
  ASSERT_TRUE((*store)->compact(Space::kHistory, {keyspace_range(8).begin, keyspace_range(9).end}).has_value());
  const auto commits = [&](uint32_t keyspace) {
    std::vector<uint64_t> found;
    const auto cursor = (*store)->cursor(Space::kHistory, {.range = keyspace_range(keyspace)}, nullptr);
    for (; cursor->valid(); cursor->next()) found.push_back(history_commit(cursor->key()));
    return found;
  };
  EXPECT_EQ(commits(9), (std::vector<uint64_t>{5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(commits(8).size(), 10u);
}

}  // namespace
}  // namespace trestle
