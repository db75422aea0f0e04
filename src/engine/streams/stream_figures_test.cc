#include "engine/streams/stream_figures.h"

#include <gtest/gtest.h>

#include "engine/quiet_engine.h"

namespace trestle {
namespace {

class StreamFiguresTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Engine::open(quiet_options({}, clock_));
    ASSERT_TRUE(opened.has_value());
    engine_ = std::move(*opened);
    const auto created =
        engine_->create_table({.table_name = "table",
                               .attribute_definitions = {{"pk", ValueType::kString}},
                               .key_schema = {{.attribute_name = "pk"}},
                               .billing_mode = BillingMode::kPayPerRequest,
                               .stream = StreamSpecification{.enabled = true, .view_type = StreamViewType::kKeysOnly}});
    ASSERT_TRUE(created.has_value());
    arn_ = created->table.arn + "/stream/" + created->table.stream_label;
  }
  void put(int pk, int64_t v) {
    Item item{{"pk", Value::string(std::to_string(pk))}, {"v", Value::number(v)}};
    ASSERT_TRUE(engine_->put_item({.table_name = "table", .item = std::move(item)}).has_value());
  }
  // Reads up to `limit` records from the beginning of each shard.
  void read_all(std::optional<int64_t> limit = std::nullopt) {
    const auto described = engine_->describe_stream({.stream_arn = arn_});
    for (const auto& shard : described->stream.shards) {
      const auto iterator = engine_->get_shard_iterator(
          {.stream_arn = arn_, .shard_id = shard.id, .type = ShardIteratorType::kTrimHorizon});
      ASSERT_TRUE(engine_->get_records({.shard_iterator = iterator->shard_iterator, .limit = limit}).has_value());
    }
  }
  StreamFigures figures() {
    return stream_figures(engine_->store(), *engine_->catalog().streams().find(arn_), clock_->now_ms());
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(1'800'000'000'000);
  std::unique_ptr<Engine> engine_;
  std::string arn_;
};

TEST_F(StreamFiguresTest, an_unused_stream_has_no_figures) {
  EXPECT_EQ(figures().written, 0u);
  EXPECT_EQ(figures().records, 0u);
  EXPECT_FALSE(figures().oldest_age_ms);
  EXPECT_FALSE(figures().iterator_age_ms);
}

TEST_F(StreamFiguresTest, each_change_counts_as_one_written_record) {
  put(1, 1);
  clock_->advance_ms(2'000);
  put(1, 1);  // without a change there is no record
  put(1, 2);
  put(2, 1);
  EXPECT_EQ(figures().table_name, "table");
  EXPECT_EQ(figures().written, 3u);
  EXPECT_EQ(figures().records, 3u);
  EXPECT_EQ(figures().oldest_age_ms, 2'000);
}

TEST_F(StreamFiguresTest, the_lag_of_a_reader_is_the_age_of_its_oldest_unread_record) {
  for (int pk = 0; pk < 40; ++pk) put(pk, 1);
  clock_->advance_ms(5'000);
  read_all(1);
  EXPECT_EQ(figures().iterator_age_ms, 5'000);
  read_all();
  EXPECT_EQ(figures().iterator_age_ms, 0);
  EXPECT_EQ(figures().reads, 8u);
  EXPECT_EQ(figures().read, 44u) << "4 shards with one each, and then all of them";
  for (int pk = 0; pk < 40; ++pk) put(pk, 2);
  clock_->advance_ms(3'000);
  EXPECT_EQ(figures().iterator_age_ms, 3'000) << "it stopped reading";
}

TEST_F(StreamFiguresTest, trimmed_records_no_longer_count_as_stored) {
  for (int pk = 0; pk < 40; ++pk) put(pk, 1);
  clock_->advance_ms(25LL * 60 * 60 * 1000);
  put(1, 2);
  engine_->maintain_streams();
  EXPECT_EQ(figures().records, 1u);
  EXPECT_EQ(figures().oldest_age_ms, 0);
  EXPECT_GT(figures().trimmed, 0u);
}

TEST_F(StreamFiguresTest, many_records_are_estimated) {
  for (int pk = 0; pk < 4'000; ++pk) put(pk, 1);
  EXPECT_GT(figures().records, 1'000u);
  EXPECT_LT(figures().records, 16'000u);
}

}  // namespace
}  // namespace trestle
