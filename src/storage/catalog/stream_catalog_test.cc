#include "storage/catalog/stream_catalog.h"

#include <gtest/gtest.h>

#include "base/hex_for_test.h"
#include "base/scratch_folder.h"
#include "storage/catalog/catalog.h"
#include "storage/store_for_test.h"

namespace trestle {
namespace {

TableDescription streaming_table(std::string label) {
  TableDescription table;
  table.name = "tbl";
  table.arn = "arn";
  table.key.hash = {{"p", ValueType::kString}};
  table.attributes = table.key.hash;
  table.stream = StreamViewType::kNewImage;
  table.stream_label = std::move(label);
  return table;
}

TEST(StreamCatalog, bytes_are_as_documented) {
  const Stream stream{.id = 9,
                      .table_name = "tbl",
                      .table_arn = "arn",
                      .label = "now",
                      .view_type = StreamViewType::kNewImage,
                      .slots = 4,
                      .created_ms = 300,
                      .disabled_ms = 0,
                      .last_commit = 0,
                      .trimmed_commit = 2,
                      .key = {.hash = {{"p", ValueType::kString}}, .range = {}},
                      .generations = {{.first_commit = 1, .started_ms = 300},
                                      {.first_commit = 5, .started_ms = 400, .parent_started_ms = 300}}};
  const std::string bytes = encode_stream(stream);
  EXPECT_EQ(hex(bytes),
            "01"
            "0374626c"
            "0361726e"
            "036e6f77"
            "01"
            "04"
            "ac02"
            "00"
            "00"
            "02"
            "01017053"
            "00"
            "02"
            "01ac0200"
            "059003ac02");
  const auto read = decode_stream(9, bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, stream);
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode_stream(9, bytes.substr(0, length)).has_value()) << length;
  }
}

TEST(StreamCatalog, a_resource_policy_comes_last) {
  Stream stream{.id = 9, .table_name = "t", .table_arn = "a", .label = "l"};
  stream.key.hash = {{"p", ValueType::kString}};
  stream.generations = {{.first_commit = 1, .started_ms = 1}};
  const std::string without = encode_stream(stream);
  stream.resource_policy = "{}";
  stream.resource_policy_ms = 300;
  const std::string bytes = encode_stream(stream);
  EXPECT_EQ(hex(bytes), hex(without) + "027b7d" + "ac02");
  const auto read = decode_stream(9, bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, stream);
  EXPECT_FALSE(decode_stream(9, bytes + "x").has_value());
  EXPECT_FALSE(decode_stream(9, bytes.substr(0, bytes.size() - 1)).has_value());
}

TEST(StreamCatalog, the_stream_of_a_table_opens_and_closes_with_it_and_survives_reopening) {
  ScratchFolder folder;
  const auto clock = std::make_shared<ManualClock>(1'000);
  std::vector<Stream> before;
  {
    auto store = open_store(folder.path());
    auto catalog = std::move(*Catalog::load(*store, clock));
    ASSERT_TRUE(catalog->create(streaming_table("one")).has_value());
    EXPECT_EQ(catalog->find("tbl")->stream_id, 1u);
    ASSERT_TRUE(catalog->edit_streams([](StreamCatalog& streams) { return streams.roll(1, 2'000); }).has_value());
    clock->advance_ms(5'000);
    ASSERT_TRUE(catalog
                    ->change("tbl",
                             [](TableDescription changed) -> Result<TableDescription> {
                               changed.stream.reset();
                               return changed;
                             })
                    .has_value());
    EXPECT_EQ(catalog->find("tbl")->stream_id, 0u);
    ASSERT_TRUE(
        catalog
            ->change("tbl", [](const TableDescription&) -> Result<TableDescription> { return streaming_table("two"); })
            .has_value());
    EXPECT_EQ(catalog->find("tbl")->stream_id, 2u);
    for (const auto& stream : catalog->streams().streams()) before.push_back(*stream);
  }
  auto store = open_store(folder.path());
  auto catalog = std::move(*Catalog::load(*store, clock));
  std::vector<Stream> after;
  for (const auto& stream : catalog->streams().streams()) after.push_back(*stream);
  EXPECT_EQ(after, before);
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(after[0].label, "one");
  EXPECT_EQ(after[0].disabled_ms, 6'000);
  ASSERT_EQ(after[0].generations.size(), 2u);
  EXPECT_EQ(after[0].generations[1].parent_started_ms, after[0].generations[0].started_ms);
  EXPECT_TRUE(after[1].enabled());
  EXPECT_EQ(catalog->find("tbl")->stream_id, 2u);
  ASSERT_TRUE(catalog->remove("tbl").has_value());
  EXPECT_FALSE(catalog->streams().find("arn/stream/two")->enabled());
}

TEST(StreamCatalog, ids_of_removed_streams_are_not_reused) {
  ScratchFolder folder;
  for (uint32_t round = 1; round <= 2; ++round) {
    auto store = open_store(folder.path());
    auto catalog = std::move(*Catalog::load(*store));
    ASSERT_TRUE(catalog->create(streaming_table("now")).has_value());
    EXPECT_EQ(catalog->find("tbl")->stream_id, round);
    ASSERT_TRUE(catalog->remove("tbl").has_value());
    ASSERT_TRUE(catalog->edit_streams([&](StreamCatalog& streams) { return streams.remove(round); }).has_value());
    EXPECT_TRUE(catalog->streams().streams().empty());
  }
}

TEST(StreamCatalog, a_stream_that_was_only_a_label_is_created_at_the_next_open) {
  ScratchFolder folder;
  {
    auto store = open_store(folder.path());
    auto catalog = std::move(*Catalog::load(*store));
    ASSERT_TRUE(catalog->create(streaming_table("now")).has_value());
    ASSERT_TRUE(catalog->edit_streams([](StreamCatalog& streams) { return streams.remove(1); }).has_value());
  }
  auto store = open_store(folder.path());
  auto catalog = std::move(*Catalog::load(*store));
  EXPECT_NE(catalog->find("tbl")->stream_id, 0u);
  EXPECT_NE(catalog->streams().find("arn/stream/now"), nullptr);
}

}  // namespace
}  // namespace trestle
