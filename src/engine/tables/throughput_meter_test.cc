#include "engine/tables/throughput_meter.h"

#include <gtest/gtest.h>

#include "engine/quiet_engine.h"
#include "engine/tables/account_limits.h"

namespace trestle {
namespace {

// Noon of February 13, 2023.
constexpr int64_t kNoonMs = 1'676'289'600'000;

TableDescription provisioned(int64_t read, int64_t write) {
  TableDescription table;
  table.name = "table";
  table.arn = "arn:aws:dynamodb:us-east-1:000000000000:table/table";
  table.keyspace = 1;
  table.throughput = {.read_units = read, .write_units = write};
  return table;
}

TEST(ThroughputMeter, five_minutes_of_units_may_be_used_at_once_and_then_no_more) {
  ManualClock clock(kNoonMs);
  ThroughputMeter meter(clock, true);
  const auto table = provisioned(1, 2);
  for (int i = 0; i < 600; ++i) {
    ASSERT_TRUE(meter.admit(table, UnitKind::kWrite).has_value()) << i;
    meter.charge(table, nullptr, UnitKind::kWrite, 1);
  }
  const auto refused = meter.admit(table, UnitKind::kWrite);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kProvisionedThroughputExceeded);
  EXPECT_EQ(refused.error().message,
            "The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
            "provisioning level with the UpdateTable API.");
  EXPECT_EQ(refused.error().throttling->front().reason, "TableWriteProvisionedThroughputExceeded");
  EXPECT_EQ(refused.error().throttling->front().resource, table.arn);
  EXPECT_TRUE(meter.admit(table, UnitKind::kRead).has_value());
  EXPECT_EQ(meter.throttled_count(), 1u);
  clock.advance_ms(1'000);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(meter.admit(table, UnitKind::kWrite).has_value());
    meter.charge(table, nullptr, UnitKind::kWrite, 1);
  }
  EXPECT_FALSE(meter.admit(table, UnitKind::kWrite).has_value());
}

TEST(ThroughputMeter, a_request_far_beyond_the_capacity_throttles_for_five_minutes_at_most) {
  ManualClock clock(kNoonMs);
  ThroughputMeter meter(clock, true);
  auto table = provisioned(1, 1);
  for (const bool on_demand : {false, true}) {
    if (on_demand) {
      table = {};
      table.keyspace = 2;
      table.billing = BillingMode::kPayPerRequest;
      table.on_demand.write_units = 1;
    }
    meter.charge(table, nullptr, UnitKind::kWrite, 80'000);
    clock.advance_ms(299'000);
    EXPECT_FALSE(meter.admit(table, UnitKind::kWrite).has_value());
    clock.advance_ms(2'000);
    EXPECT_TRUE(meter.admit(table, UnitKind::kWrite).has_value());
  }
}

TEST(ThroughputMeter, a_request_may_cause_debt_that_is_paid_over_time) {
  ManualClock clock(kNoonMs);
  ThroughputMeter meter(clock, true);
  const auto table = provisioned(1, 1);
  meter.charge(table, nullptr, UnitKind::kRead, 299.5);
  ASSERT_TRUE(meter.admit(table, UnitKind::kRead).has_value());
  meter.charge(table, nullptr, UnitKind::kRead, 128);
  clock.advance_ms(127'000);
  EXPECT_FALSE(meter.admit(table, UnitKind::kRead).has_value());
  clock.advance_ms(1'000);
  EXPECT_TRUE(meter.admit(table, UnitKind::kRead).has_value());
}

TEST(ThroughputMeter, units_accumulate_for_five_minutes_at_most) {
  ManualClock clock(kNoonMs);
  ThroughputMeter meter(clock, true);
  const auto table = provisioned(1, 1);
  meter.charge(table, nullptr, UnitKind::kRead, 1);
  clock.advance_ms(3'600'000);
  meter.charge(table, nullptr, UnitKind::kRead, 300);
  EXPECT_FALSE(meter.admit(table, UnitKind::kRead).has_value());
}

TEST(ThroughputMeter, an_on_demand_table_is_limited_by_its_maximums_alone) {
  ManualClock clock(kNoonMs);
  ThroughputMeter meter(clock, true);
  auto table = provisioned(0, 0);
  table.billing = BillingMode::kPayPerRequest;
  EXPECT_FALSE(meter.applies_to(table));
  EXPECT_TRUE(meter.admit(table, UnitKind::kWrite).has_value());
  table.on_demand.write_units = 5;
  meter.charge(table, nullptr, UnitKind::kWrite, 5);
  const auto refused = meter.admit(table, UnitKind::kWrite);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kThrottling);
  EXPECT_EQ(refused.error().message, "Throughput exceeds the maximum OnDemandThroughput configured on table or index");
  EXPECT_EQ(refused.error().throttling->front().reason, "TableWriteMaxOnDemandThroughputExceeded");
  EXPECT_TRUE(meter.admit(table, UnitKind::kRead).has_value());
  table.on_demand.write_units = -1;
  EXPECT_TRUE(meter.admit(table, UnitKind::kWrite).has_value());
}

TEST(ThroughputMeter, a_disabled_meter_admits_everything) {
  ManualClock clock(kNoonMs);
  ThroughputMeter meter(clock, false);
  const auto table = provisioned(1, 1);
  meter.charge(table, nullptr, UnitKind::kWrite, 1'000);
  EXPECT_TRUE(meter.admit(table, UnitKind::kWrite).has_value());
}

class Throttling : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Engine::open(quiet_options({}, clock_));
    ASSERT_TRUE(opened.has_value());
    engine_ = std::move(*opened);
  }
  void create(std::string name, Throughput table, Throughput index) {
    const auto created = engine_->create_table({
        .table_name = std::move(name),
        .attribute_definitions = {{"pk", ValueType::kString}, {"g", ValueType::kString}},
        .key_schema = {{.attribute_name = "pk"}},
        .global_indexes = std::vector<IndexDefinition>{{.index_name = "by-g",
                                                        .key_schema = {{.attribute_name = "g"}},
                                                        .projection_type = ProjectionType::kAll,
                                                        .throughput = index}},
        .throughput = table,
    });
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }
  Result<PutItemResponse> put(std::string_view pk, bool indexed) {
    Item item{{"pk", Value::string(pk)}, {indexed ? "g" : "other", Value::string("v")}};
    return engine_->put_item({.table_name = "table", .item = std::move(item)});
  }

  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(kNoonMs);
  std::unique_ptr<Engine> engine_;
};

TEST_F(Throttling, an_index_without_capacity_throttles_the_writes_that_change_it) {
  create("table", {100, 100}, {1, 1});
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(put(std::to_string(i), true).has_value()) << i;
  const auto refused = put("x", true);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().throttling->front().reason, "IndexWriteProvisionedThroughputExceeded");
  EXPECT_EQ(refused.error().throttling->front().resource,
            "arn:aws:dynamodb:us-east-1:000000000000:table/table/index/by-g");
  EXPECT_TRUE(put("y", false).has_value());
}

TEST_F(Throttling, a_batch_returns_items_without_capacity_as_unprocessed) {
  create("table", {1, 1}, {1, 1});
  create("other", {1, 1}, {1, 1});
  for (int i = 0; i < 290; ++i) ASSERT_TRUE(put(std::to_string(i), false).has_value());
  BatchWriteItemRequest request;
  request.tables.push_back({.table_name = "table", .writes = {}});
  for (int i = 0; i < 25; ++i) {
    request.tables[0].writes.push_back({.item = Item{{"pk", Value::string("b" + std::to_string(i))}}});
  }
  auto answer = engine_->batch_write_item(request);
  ASSERT_TRUE(answer.has_value());
  ASSERT_EQ(answer->unprocessed.size(), 1u);
  EXPECT_EQ(answer->unprocessed[0].writes.size(), 15u);
  answer = engine_->batch_write_item(request);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kProvisionedThroughputExceeded);
  request.tables.push_back({.table_name = "other", .writes = {{.item = Item{{"pk", Value::string("a")}}}}});
  answer = engine_->batch_write_item(request);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->unprocessed[0].writes.size(), 25u);
}

TEST_F(Throttling, the_cost_of_a_read_is_charged) {
  create("table", {1, 100}, {1, 100});
  ASSERT_TRUE(put("a", true).has_value());
  GetItemRequest get{.table_name = "table", .key = Item{{"pk", Value::string("a")}}, .consistent_read = true};
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(engine_->get_item(get).has_value());
  EXPECT_FALSE(engine_->get_item(get).has_value());
  ScanRequest scan;
  scan.table_name = "table";
  EXPECT_FALSE(engine_->scan(scan).has_value());
  scan.index_name = "by-g";
  EXPECT_TRUE(engine_->scan(scan).has_value());
  BatchGetItemRequest batch;
  batch.tables.push_back({.table_name = "table", .keys = {Item{{"pk", Value::string("a")}}}});
  EXPECT_FALSE(engine_->batch_get_item(batch).has_value());
}

TEST_F(Throttling, a_failed_condition_is_charged_as_a_write_of_the_existing_item) {
  create("table", {1, 1}, {1, 1});
  const Item item{{"pk", Value::string("a")}, {"text", Value::string(std::string(9'000, 'x'))}};  // 9 units
  ASSERT_TRUE(engine_->put_item({.table_name = "table", .item = item}).has_value());
  PutItemRequest refused{.table_name = "table", .item = Item{{"pk", Value::string("a")}}};
  refused.condition.expression = "attribute_not_exists(pk)";
  const auto fails_by = [&] { return engine_->put_item(refused).error().code; };
  for (int used = 9; used < 300; used += 9) EXPECT_EQ(fails_by(), ErrorCode::kConditionalCheckFailed) << used;
  EXPECT_EQ(fails_by(), ErrorCode::kProvisionedThroughputExceeded);
}

TEST_F(Throttling, a_failed_condition_without_an_item_costs_one_unit) {
  create("table", {1, 1}, {1, 1});
  DeleteItemRequest refused{.table_name = "table", .key = Item{{"pk", Value::string("a")}}};
  refused.condition.expression = "attribute_exists(pk)";
  const auto fails_by = [&] { return engine_->delete_item(refused).error().code; };
  for (int i = 0; i < 300; ++i) ASSERT_EQ(fails_by(), ErrorCode::kConditionalCheckFailed) << i;
  EXPECT_EQ(fails_by(), ErrorCode::kProvisionedThroughputExceeded);
}

TEST_F(Throttling, a_cancelled_transaction_is_charged_for_preparing_its_items) {
  create("table", {1, 1}, {1, 1});
  const Item item{{"pk", Value::string("a")}, {"text", Value::string(std::string(8'500, 'x'))}};  // 9 units
  ASSERT_TRUE(engine_->put_item({.table_name = "table", .item = item}).has_value());
  TransactWriteItemsRequest refused;
  for (const char* pk : {"a", "b"}) {
    TransactWrite write{.table_name = "table", .item = Item{{"pk", Value::string(pk)}}};
    write.condition.expression = "attribute_not_exists(pk)";
    refused.writes.push_back(std::move(write));
  }
  const auto reasons = [&] { return engine_->transact_write_items(refused).error().message; };
  for (int used = 9; used < 300; used += 10) {
    EXPECT_NE(reasons().find("[ConditionalCheckFailed, None]"), std::string::npos);
  }
  EXPECT_NE(reasons().find("[ProvisionedThroughputExceeded, ProvisionedThroughputExceeded]"), std::string::npos);
}

TEST(AccountLimits, one_table_has_a_maximum) {
  const AccountLimitsContext context{.region = "us-east-1", .reserved = {}};
  EXPECT_TRUE(check_account_limits(nullptr, provisioned(40'000, 40'000), context).has_value());
  const auto refused = check_account_limits(nullptr, provisioned(40'001, 1), context);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(refused.error().message,
            "The requested ReadCapacityUnits, 40001, is above the per table maximum for the account in us-east-1. Per "
            "table maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request "
            "higher limits.");
  auto on_demand = provisioned(0, 0);
  on_demand.billing = BillingMode::kPayPerRequest;
  on_demand.on_demand.write_units = 40'001;
  EXPECT_EQ(check_account_limits(nullptr, on_demand, context).error().message,
            "Subscriber limit exceeded: Requested MaxWriteRequestUnits for OnDemandThroughput for table exceeds "
            "TableMaxWriteCapacityUnits of the account in region us-east-1");
}

TEST(AccountLimits, all_tables_together_have_a_maximum) {
  const AccountLimitsContext context{.region = "eu-west-1", .reserved = {.read_units = 79'995, .write_units = 10}};
  EXPECT_TRUE(check_account_limits(nullptr, provisioned(5, 1), context).has_value());
  const auto refused = check_account_limits(nullptr, provisioned(6, 1), context);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message,
            "This request would have caused the ReadCapacityUnits limit to be exceeded for the account in eu-west-1. "
            "Current ReadCapacityUnits reserved by the account: 79995. Limit: 80000. Requested: 6. Refer to the Amazon "
            "DynamoDB Developer Guide for current limits and how to request higher limits.");
  const auto before = provisioned(100, 1);
  EXPECT_TRUE(check_account_limits(&before, provisioned(90, 1), context).has_value());
}

TEST(AccountLimits, after_four_decreases_one_per_hour_is_allowed) {
  EXPECT_TRUE(check_decrease(3, kNoonMs, kNoonMs + 1).has_value());
  const auto refused = check_decrease(4, kNoonMs, kNoonMs + 1'000);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(refused.error().message,
            "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After the "
            "first 4 decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 "
            "seconds. Number of decreases today: 4. Last decrease at Monday, February 13, 2023 at 12:00:00 PM "
            "Coordinated Universal Time. Next decrease can be made at Monday, February 13, 2023 at 1:00:00 PM "
            "Coordinated Universal Time");
  EXPECT_TRUE(check_decrease(4, kNoonMs, kNoonMs + 3'600'000).has_value());
  EXPECT_TRUE(check_decrease(4, kNoonMs, kNoonMs + 12 * 3'600'000).has_value());
}

}  // namespace
}  // namespace trestle
