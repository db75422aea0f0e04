#include "copy/state.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/scratch_folder.h"
#include "copy/state_file.h"

namespace trestle::copy {
namespace {

CopyState example() {
  TableState table{
      .source = "music", .target = "songs", .source_id = "1", .target_id = "2", .started_ms = 1234567890123};
  table.segments = {{.done = true, .items = 7, .bytes = 700},
                    {.cursor = Item({{"pk", Value::string("a\"b\u00e9")},
                                     {"sk", Value::number("-1.5")},
                                     {"b", Value::binary(std::string_view("\0\xff", 2))}}),
                     .items = 3,
                     .bytes = 5'000'000'000},
                    {}};
  table.stream = StreamState{.label = "2026-01-01T00:00:00.000",
                             .followed_ms = 5,
                             .records = 6,
                             .shards = {{"music/l/shard-1", {.sequence_number = "49", .ended = true}},
                                        {"music/l/shard-2", {.sequence_number = "50", .ended = false}},
                                        {"music/l/shard-3", {}}}};
  return {.from = "http://a", .to = "aws:eu-central-1", .tables = {table, {.source = "b", .target = "b"}}};
}

TEST(CopyState, saved_state_is_read_back) {
  const auto read = read_state(state_text(example()));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, example());
}

TEST(CopyState, a_table_is_scanned_when_all_its_segments_are) {
  TableState table;
  table.segments = {{.done = true, .items = 1}, {.items = 2}};
  EXPECT_FALSE(table.scanned());
  EXPECT_EQ(table.items(), 3);
  table.segments[1].done = true;
  EXPECT_TRUE(table.scanned());
}

TEST(CopyState, other_texts_are_refused) {
  EXPECT_FALSE(read_state("").has_value());
  EXPECT_FALSE(read_state("[]").has_value());
  EXPECT_FALSE(read_state("{}").has_value());
  EXPECT_FALSE(read_state(R"({"Format":2,"From":"a","To":"b","Tables":[]})").has_value());
  EXPECT_FALSE(read_state(R"({"Format":1,"From":"a","To":"b","Tables":[{"Source":5}]})").has_value());
  std::string cut = state_text(example());
  cut.resize(cut.size() / 2);
  EXPECT_FALSE(read_state(cut).has_value());
}

TEST(StateFile, another_run_finds_what_was_saved_and_no_more) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/state.json";
  {
    auto file = std::move(*StateFile::open(path, "a", "b", false));
    file->change([](CopyState& state) { state.tables.push_back({.source = "one", .target = "one"}); });
    ASSERT_TRUE(file->save().has_value());
    file->change([](CopyState& state) { state.tables.push_back({.source = "two", .target = "two"}); });
  }
  {
    auto file = std::move(*StateFile::open(path, "a", "b", false));
    ASSERT_EQ(file->read().tables.size(), 1u);
    EXPECT_EQ(file->read().tables[0].source, "one");
  }
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
  auto fresh = std::move(*StateFile::open(path, "a", "b", true));
  EXPECT_TRUE(fresh->read().tables.empty());
}

TEST(StateFile, a_save_that_failed_is_repeated_by_the_next_one) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/state.json";
  auto file = std::move(*StateFile::open(path, "a", "b", false));
  file->change([](CopyState& state) { state.tables.push_back({.source = "one", .target = "one"}); });
  std::filesystem::create_directory(path + ".new");  // where the file is written first
  ASSERT_FALSE(file->save().has_value());
  std::filesystem::remove(path + ".new");
  ASSERT_TRUE(file->save().has_value());
  file.reset();
  EXPECT_EQ((*StateFile::open(path, "a", "b", false))->read().tables.size(), 1u);
}

TEST(StateFile, is_one_copys_and_one_processs) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/state.json";
  auto file = std::move(*StateFile::open(path, "a", "b", false));
  ASSERT_TRUE(file->save().has_value());
  const auto second = StateFile::open(path, "a", "b", false);
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().message.find("another process"), std::string::npos) << second.error().message;
  file.reset();
  const auto other = StateFile::open(path, "a", "c", false);
  ASSERT_FALSE(other.has_value());
  EXPECT_NE(other.error().message.find("from a to b"), std::string::npos) << other.error().message;
  EXPECT_TRUE(StateFile::open(path, "a", "b", false).has_value());
}

TEST(StateFile, a_file_that_is_not_a_state_file_is_not_overwritten) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/letter.txt";
  std::ofstream(path) << "Dear Nina";
  EXPECT_FALSE(StateFile::open(path, "a", "b", false).has_value());
  std::string text;
  std::getline(std::ifstream(path), text);
  EXPECT_EQ(text, "Dear Nina");
}

TEST(StateFile, names_differ_with_the_copy) {
  EXPECT_EQ(default_state_name("a", "b", {"t"}), default_state_name("a", "b", {"t"}));
  EXPECT_NE(default_state_name("a", "b", {"t"}), default_state_name("a", "b", {}));
  EXPECT_NE(default_state_name("a", "b", {}), default_state_name("b", "a", {}));
}

}  // namespace
}  // namespace trestle::copy
