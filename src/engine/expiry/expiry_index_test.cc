#include "engine/expiry/expiry_index.h"

#include <gtest/gtest.h>

#include "base/hex_for_test.h"
#include "base/scratch_folder.h"
#include "engine/quiet_engine.h"

namespace trestle {
namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;
constexpr int64_t kNow = kNowMs / 1000;

TEST(ExpiryIndex, bytes_are_as_documented) {
  EXPECT_EQ(hex(expiry_key(7, 1'700'000'000, "key")), "00000007000000006553f1006b6579");
  EXPECT_EQ(hex(expiry_filling_key(7)), "00000007");
  EXPECT_EQ(item_key_of(expiry_key(7, 5, "key")), "key");
  EXPECT_EQ(seconds_of(expiry_key(7, 5, "key")), 5u);
}

TEST(ExpiryIndex, only_whole_seconds_of_a_number_count) {
  const auto seconds = [](Value value) { return expiry_seconds(Item{{"t", value}}, "t"); };
  EXPECT_EQ(seconds(Value::number("12")), 12u);
  EXPECT_EQ(seconds(Value::number("12.999")), 12u);
  EXPECT_EQ(seconds(Value::number("0")), 0u);
  EXPECT_EQ(seconds(Value::number("-1")), std::nullopt);
  EXPECT_EQ(seconds(Value::number("-0.5")), std::nullopt);
  EXPECT_EQ(seconds(Value::number("100000000000000000000000")), std::nullopt);
  EXPECT_EQ(seconds(Value::string("12")), std::nullopt);
  EXPECT_EQ(expiry_seconds(Item{{"other", Value::number("1")}}, "t"), std::nullopt);
  EXPECT_EQ(expiry_seconds(ItemView(), "t"), std::nullopt);
}

TEST(ExpiryIndex, items_that_expired_more_than_five_years_ago_are_not_deleted) {
  EXPECT_TRUE(is_expired(kNow, kNow));
  EXPECT_FALSE(is_expired(kNow + 1, kNow));
  EXPECT_TRUE(is_expired(kNow - kExpirySecondsBackMax, kNow));
  EXPECT_FALSE(is_expired(kNow - kExpirySecondsBackMax - 1, kNow));
}

class TimeToLive : public ::testing::Test {
 protected:
  void open(const std::string& folder = {}) {
    auto opened = Engine::open(quiet_options(folder, clock_));
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    engine_ = std::move(*opened);
  }
  void create_table() {
    const auto created = engine_->create_table({
        .table_name = "table",
        .attribute_definitions = {{"pk", ValueType::kString}, {"g", ValueType::kString}},
        .key_schema = {{.attribute_name = "pk"}},
        .global_indexes = std::vector<IndexDefinition>{{.index_name = "by-g",
                                                        .key_schema = {{.attribute_name = "g"}},
                                                        .projection_type = ProjectionType::kAll}},
        .billing_mode = BillingMode::kPayPerRequest,
    });
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }
  void set(bool enabled, const std::string& attribute = "ttl") {
    const auto answer =
        engine_->update_time_to_live({.table_name = "table", .attribute_name = attribute, .enabled = enabled});
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
  }
  void put(std::string_view pk, Value ttl) {
    const auto answer = engine_->put_item(
        {.table_name = "table", .item = Item{{"pk", Value::string(pk)}, {"g", Value::string("g")}, {"ttl", ttl}}});
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
  }
  void put(std::string_view pk, int64_t ttl) { put(pk, Value::number(ttl)); }
  bool has(std::string_view pk) {
    const auto answer = engine_->get_item({.table_name = "table", .key = Item{{"pk", Value::string(pk)}}});
    EXPECT_TRUE(answer.has_value());
    return answer->item.has_value();
  }
  size_t index_entries() {
    ScanRequest scan;
    scan.table_name = "table";
    scan.index_name = "by-g";
    return engine_->scan(scan)->items.size();
  }
  size_t expiry_entries() {
    size_t count = 0;
    const auto keyspace = engine_->catalog().find("table")->description.keyspace;
    auto cursor = engine_->store().cursor(Space::kExpiry, {.range = expiry_range(keyspace)}, nullptr);
    for (; cursor->valid(); cursor->next()) ++count;
    return count;
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(kNowMs);
  const ScratchFolder folder_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(TimeToLive, an_expired_item_is_deleted_with_its_index_entries) {
  open();
  create_table();
  set(true);
  put("soon", kNow + 10);
  put("later", kNow + 20);
  put("text", Value::string("1"));
  engine_->sweep_expired();
  EXPECT_TRUE(has("soon"));
  clock_->advance_ms(9'999);
  engine_->sweep_expired();
  EXPECT_TRUE(has("soon"));
  clock_->advance_ms(1);
  engine_->sweep_expired();
  EXPECT_FALSE(has("soon"));
  EXPECT_TRUE(has("later"));
  EXPECT_TRUE(has("text"));
  EXPECT_EQ(index_entries(), 2u);
  EXPECT_EQ(expiry_entries(), 1u);
  EXPECT_EQ(engine_->expiry_sweeper().deleted_count(), 1u);
  EXPECT_EQ(engine_->describe_table({.table_name = "table"})->table.item_count, 2);
}

TEST_F(TimeToLive, a_new_value_saves_an_item) {
  open();
  create_table();
  set(true);
  put("a", kNow + 10);
  put("b", kNow + 10);
  put("a", kNow + 30);
  put("b", Value::null());
  EXPECT_EQ(expiry_entries(), 1u);
  clock_->advance_ms(10'000);
  engine_->sweep_expired();
  EXPECT_TRUE(has("a"));
  EXPECT_TRUE(has("b"));
  clock_->advance_ms(20'000);
  engine_->sweep_expired();
  EXPECT_FALSE(has("a"));
}

TEST_F(TimeToLive, items_that_are_written_expired_are_found_before_the_floor) {
  open();
  create_table();
  set(true);
  put("a", kNow - 10);
  engine_->sweep_expired();
  EXPECT_FALSE(has("a"));
  put("b", kNow - 100'000);
  put("ancient", kNow - 200'000'000);
  engine_->sweep_expired();
  EXPECT_FALSE(has("b"));
  EXPECT_TRUE(has("ancient"));
}

TEST_F(TimeToLive, a_table_without_the_setting_has_no_entries_and_loses_nothing) {
  open();
  create_table();
  put("a", kNow - 10);
  EXPECT_EQ(expiry_entries(), 0u);
  engine_->sweep_expired();
  EXPECT_TRUE(has("a"));
}

TEST_F(TimeToLive, enabling_it_finds_items_that_were_there_before) {
  open();
  create_table();
  for (int i = 0; i < 1'000; ++i) put("item" + std::to_string(i), i % 2 == 0 ? kNow - 10 : kNow + 10);
  set(true);
  engine_->wait_idle();
  EXPECT_FALSE(engine_->describe_time_to_live({.table_name = "table"})->enabling);
  EXPECT_EQ(expiry_entries(), 1'000u);
  engine_->sweep_expired();
  EXPECT_EQ(expiry_entries(), 500u);
  EXPECT_FALSE(has("item0"));
  EXPECT_TRUE(has("item1"));
}

TEST_F(TimeToLive, disabling_it_empties_the_index_and_keeps_the_items) {
  open();
  create_table();
  set(true);
  put("a", kNow + 10);
  set(false);
  EXPECT_EQ(expiry_entries(), 0u);
  clock_->advance_ms(20'000);
  engine_->sweep_expired();
  EXPECT_TRUE(has("a"));
  set(true, "other");
  engine_->sweep_expired();
  EXPECT_TRUE(has("a"));
}

TEST_F(TimeToLive, an_interrupted_fill_resumes_at_the_next_start) {
  open(folder_.path());
  create_table();
  for (int i = 0; i < 2'000; ++i) {
    Call call;
    ASSERT_TRUE(engine_
                    ->put_item({.table_name = "table",
                                .item = Item{{"pk", Value::string(std::to_string(i))}, {"ttl", Value::number(kNow)}}},
                               call)
                    .has_value());
  }
  set(true);
  engine_.reset();  // at an arbitrary point of the fill
  open(folder_.path());
  engine_->wait_idle();
  EXPECT_EQ(expiry_entries(), 2'000u);
  engine_->sweep_expired();
  EXPECT_EQ(expiry_entries(), 0u);
  EXPECT_EQ(engine_->describe_table({.table_name = "table"})->table.item_count, 0);
}

TEST_F(TimeToLive, a_dropped_table_leaves_no_entries) {
  open();
  create_table();
  set(true);
  put("a", kNow + 10);
  const auto keyspace = engine_->catalog().find("table")->description.keyspace;
  ASSERT_TRUE(engine_->delete_table({.table_name = "table"}).has_value());
  engine_->wait_idle();
  auto cursor = engine_->store().cursor(Space::kExpiry, {.range = expiry_range(keyspace)}, nullptr);
  EXPECT_FALSE(cursor->valid());
}

}  // namespace
}  // namespace trestle
