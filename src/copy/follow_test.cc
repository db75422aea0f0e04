#include "copy/follow.h"

#include "copy/scan.h"
#include "copy/test_world.h"

namespace trestle::copy {
namespace {

class Follow : public testing::TestWithParam<StreamViewType> {
 protected:
  void SetUp() override {
    world_.create(*world_.source, GetParam());
    world_.create(*world_.target);
  }

  // Records the position of the stream, and marks the scan as finished.
  void begin() {
    auto stream = note_stream(*world_.source, "music", world_.clock->now_ms());
    ASSERT_TRUE(stream.has_value()) << stream.error().message;
    world_.state->change([&](CopyState& state) {
      state.tables = {{.source = "music", .target = "music", .segments = {{.done = true}}, .stream = *stream}};
    });
  }
  FollowParts parts() {
    return {.source = *world_.source,
            .writer = world_.writer,
            .pace = world_.pace,
            .state = *world_.state,
            .clock = *world_.clock,
            .threads = 2};
  }
  // Reads until nothing is left; returns the number of records.
  static size_t drain(Follower& follower) {
    size_t records = 0;
    for (int rounds = 0; rounds < 1000; ++rounds) {
      const auto round = follower.round();
      EXPECT_TRUE(round.has_value()) << round.error().message;
      if (!round.has_value() || round->drained) return records;
      records += round->records;
    }
    ADD_FAILURE() << "it never ends";
    return records;
  }
  // Closes the shards and opens their children.
  void roll() {
    world_.clock->advance_ms(StreamUpkeepOptions{}.shard_ms + 1'000);
    world_.source->maintain_streams();
  }

  World world_;
};

TEST_P(Follow, changes_arrive_and_the_last_one_counts) {
  begin();
  for (int i = 0; i < 60; ++i) World::put(*world_.source, "a", i, "first");
  for (int i = 0; i < 60; ++i) World::put(*world_.source, "a", i, "second");
  for (int i = 0; i < 60; i += 2) World::erase(*world_.source, "a", i);
  World::put(*world_.source, "a", 0, "again");
  const FollowParts all = parts();
  Follower follower(all, 0);
  EXPECT_EQ(drain(follower), 151u);
  EXPECT_EQ(World::count(*world_.target), 31);
  EXPECT_EQ(World::text(*world_.target, "a", 0), "again");
  EXPECT_EQ(World::text(*world_.target, "a", 1), "second");
  EXPECT_EQ(World::text(*world_.target, "a", 2), std::nullopt);
}

TEST_P(Follow, goes_on_where_another_run_was_left_over_closed_shards_too) {
  World::put(*world_.source, "before", 1, "x");
  begin();
  World::put(*world_.source, "a", 1, "one");
  {
    const FollowParts all = parts();
    Follower follower(all, 0);
    drain(follower);
    ASSERT_TRUE(world_.state->save().has_value());
  }
  EXPECT_EQ(World::text(*world_.target, "a", 1), "one");
  World::put(*world_.source, "a", 1, "two");
  roll();
  World::put(*world_.source, "a", 1, "three");
  World::erase(*world_.source, "before", 1);
  roll();
  World::put(*world_.source, "a", 2, "new");
  world_.reopen_state();
  const FollowParts all = parts();
  Follower follower(all, 0);
  EXPECT_EQ(drain(follower), 4u);
  EXPECT_EQ(World::text(*world_.target, "a", 1), "three");
  EXPECT_EQ(World::text(*world_.target, "a", 2), "new");
  EXPECT_EQ(World::text(*world_.target, "before", 1), std::nullopt);
}

TEST_P(Follow, shards_that_were_closed_before_the_copy_are_not_read) {
  World::put(*world_.source, "a", 1, "old");
  roll();
  begin();
  World::put(*world_.source, "a", 2, "new");
  const FollowParts all = parts();
  Follower follower(all, 0);
  EXPECT_EQ(drain(follower), 1u);
  EXPECT_EQ(World::text(*world_.target, "a", 1), std::nullopt) << "that is the scan's";
  EXPECT_EQ(World::text(*world_.target, "a", 2), "new");
}

TEST_P(Follow, records_that_the_stream_lost_are_not_passed_over) {
  begin();
  World::put(*world_.source, "a", 1, "x");
  for (int i = 0; i < 8; ++i) roll();
  const FollowParts all = parts();
  Follower follower(all, 0);
  const auto round = follower.round();
  ASSERT_FALSE(round.has_value());
  EXPECT_NE(round.error().message.find("--restart"), std::string::npos) << round.error().message;
}

TEST_P(Follow, shards_that_went_before_they_were_read_are_missed) {
  World world{.retention_ms = 1'000'000};
  world.create(*world.source, GetParam());
  world.create(*world.target);
  auto stream = note_stream(*world.source, "music", world.clock->now_ms());
  ASSERT_TRUE(stream.has_value()) << stream.error().message;
  world.state->change([&](CopyState& state) {
    state.tables = {{.source = "music", .target = "music", .segments = {{.done = true}}, .stream = *stream}};
  });
  World::put(*world.source, "a", 1, "x");
  for (int i = 0; i < 2; ++i) {
    world.clock->advance_ms(StreamUpkeepOptions{}.shard_ms + 1'000);
    world.source->maintain_streams();
  }
  const FollowParts all{.source = *world.source,
                        .writer = world.writer,
                        .pace = world.pace,
                        .state = *world.state,
                        .clock = *world.clock};
  Follower follower(all, 0);
  EXPECT_FALSE(follower.round().has_value());
}

TEST_P(Follow, a_stream_that_was_disabled_is_read_to_its_end) {
  begin();
  World::put(*world_.source, "a", 1, "last");
  const FollowParts all = parts();
  Follower follower(all, 0);
  const auto first = follower.round();
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_FALSE(first->over);
  World::put(*world_.source, "a", 2, "last");
  UpdateTableRequest request{.table_name = "music"};
  request.stream = StreamSpecification{.enabled = false, .view_type = {}};
  ASSERT_TRUE(world_.source->update_table(request).has_value());
  ASSERT_TRUE(wait_active(*world_.source, "music", world_.stop).has_value());
  world_.clock->advance_ms(60'000);
  drain(follower);
  const auto last = follower.round();
  ASSERT_TRUE(last.has_value()) << last.error().message;
  EXPECT_TRUE(last->over);
  EXPECT_EQ(World::text(*world_.target, "a", 2), "last");
}

TEST_P(Follow, a_recreated_stream_is_not_mistaken_for_the_old_one) {
  begin();
  UpdateTableRequest request{.table_name = "music"};
  request.stream = StreamSpecification{.enabled = false, .view_type = {}};
  ASSERT_TRUE(world_.source->update_table(request).has_value());
  ASSERT_TRUE(wait_active(*world_.source, "music", world_.stop).has_value());
  World::put(*world_.source, "a", 1, "unseen");
  world_.clock->advance_ms(1'000);
  request.stream = StreamSpecification{.enabled = true, .view_type = GetParam()};
  ASSERT_TRUE(world_.source->update_table(request).has_value());
  ASSERT_TRUE(wait_active(*world_.source, "music", world_.stop).has_value());
  const FollowParts all = parts();
  Follower follower(all, 0);
  EXPECT_FALSE(follower.round().has_value());
}

INSTANTIATE_TEST_SUITE_P(EveryView, Follow,
                         testing::Values(StreamViewType::kNewAndOldImages, StreamViewType::kNewImage,
                                         StreamViewType::kOldImage, StreamViewType::kKeysOnly));

TEST(CopyScan, copies_every_segment_and_goes_on_at_the_cursor) {
  World world;
  world.create(*world.source);
  world.create(*world.target);
  for (int i = 0; i < 1500; ++i) World::put(*world.source, "p" + std::to_string(i % 50), i, "x");
  world.state->change([](CopyState& state) {
    state.tables = {{.source = "music", .target = "music", .segments = std::vector<SegmentState>(3)}};
  });
  const ScanParts parts{
      .source = *world.source, .writer = world.writer, .pace = world.pace, .state = *world.state, .threads = 2};
  ASSERT_TRUE(scan_tables(parts, [] {}).has_value());
  EXPECT_EQ(World::count(*world.target), 1500);
  EXPECT_EQ(scan_progress(world.state->read()).items, 1500);
  EXPECT_EQ(scan_progress(world.state->read()).segments_left, 0u);

  // Records before a cursor are not read again.
  World::erase(*world.target, "p1", 1);
  world.state->change([](CopyState& state) {
    state.tables[0].segments = {{.cursor = Item({{"pk", Value::string("p1")}, {"sk", Value::number(1401)}})}};
  });
  ASSERT_TRUE(scan_tables(parts, [] {}).has_value());
  EXPECT_EQ(World::text(*world.target, "p1", 1), std::nullopt);
  EXPECT_LT(scan_progress(world.state->read()).items, 1500);
}

TEST(CopyScan, an_item_that_the_target_refuses_is_named) {
  World world;
  world.create(*world.source);
  CreateTableRequest request{.table_name = "music"};
  request.attribute_definitions = {{.name = "pk", .type = ValueType::kString},
                                   {.name = "sk", .type = ValueType::kNumber},
                                   {.name = "text", .type = ValueType::kNumber}};
  request.key_schema = {{.attribute_name = "pk"}, {.attribute_name = "sk", .is_range = true}};
  IndexDefinition by_text{.index_name = "by-text", .key_schema = {{.attribute_name = "text"}}};
  by_text.projection_type = ProjectionType::kAll;
  request.global_indexes = std::vector<IndexDefinition>{by_text};
  request.billing_mode = BillingMode::kPayPerRequest;
  ASSERT_TRUE(world.target->create_table(request).has_value());
  ASSERT_TRUE(wait_active(*world.target, "music", world.stop).has_value());
  World::put(*world.source, "guilty", 1, "not a number");
  world.state->change([](CopyState& state) {
    state.tables = {{.source = "music", .target = "music", .segments = std::vector<SegmentState>(1)}};
  });
  const auto done = scan_tables(
      {.source = *world.source, .writer = world.writer, .pace = world.pace, .state = *world.state, .threads = 1},
      [] {});
  ASSERT_FALSE(done.has_value());
  EXPECT_NE(done.error().message.find("guilty"), std::string::npos) << done.error().message;
  EXPECT_FALSE(world.state->read().tables[0].scanned());
}

}  // namespace
}  // namespace trestle::copy
