#include "protocol/tables/table_description_json.h"

#include <gtest/gtest.h>

#include "protocol/shapes/server_json.h"

namespace trestle {
namespace {

TableDescription plain_table() {
  TableDescription table;
  table.name = "abc";
  table.id = "the-id";
  table.arn = "arn:aws:dynamodb:r:1:table/abc";
  table.status = Status::kCreating;
  table.created_ms = 1'700'000'000'125;
  table.attributes = {{"p", ValueType::kString}};
  table.key.hash = table.attributes;
  table.throughput = {.read_units = 1, .write_units = 2};
  return table;
}

std::string written(const TableDescription& table) {
  std::string out;
  JsonOutput json(out);
  write_table_description(table, json);
  return out;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(TableDescriptionJson, plain_table_has_the_members_of_every_table) {
  EXPECT_EQ(written(plain_table()),
            R"({"AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],"TableName":"abc",)"
            R"("KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],"TableStatus":"CREATING",)"
            R"("CreationDateTime":1700000000.125,"ProvisionedThroughput":{"NumberOfDecreasesToday":0,)"
            R"("ReadCapacityUnits":1,"WriteCapacityUnits":2},"TableSizeBytes":0,"ItemCount":0,)"
            R"("TableArn":"arn:aws:dynamodb:r:1:table/abc","TableId":"the-id","DeletionProtectionEnabled":false})");
}

TEST(TableDescriptionJson, operations_wrap_it_by_their_own_names) {
  std::string created;
  write_create_table_json({plain_table()}, created);
  EXPECT_EQ(created, R"({"TableDescription":)" + written(plain_table()) + "}");
  std::string described;
  write_describe_table_json({plain_table()}, described);
  EXPECT_EQ(described, R"({"Table":)" + written(plain_table()) + "}");
}

TEST(TableDescriptionJson, settings_are_shown_after_they_are_set) {
  auto table = plain_table();
  table.status = Status::kActive;
  table.billing = BillingMode::kPayPerRequest;
  table.billing_summary = true;
  table.pay_per_request_since_ms = 1'700'000'000'125;
  table.throughput_increased_ms = 1'700'000'001'000;
  table.throughput_decreased_ms = 1'700'000'002'000;
  table.stream = StreamViewType::kOldImage;
  table.stream_label = "2026-01-31T12:00:00.000";
  table.sse = {.enabled = true, .type = "KMS", .key_id = "arn:aws:kms:r:1:key/k"};
  table.table_class = TableClass::kStandard;
  table.table_class_changed_ms = 1'700'000'003'500;
  table.deletion_protection = true;
  table.on_demand = {.read_units = 10, .write_units = 5};
  table.warm = {.read_units = 12'000, .write_units = 4'000};
  const auto json = written(table);
  EXPECT_TRUE(contains(json, R"("BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST",)"
                             R"("LastUpdateToPayPerRequestDateTime":1700000000.125})"))
      << json;
  EXPECT_TRUE(contains(json, R"("LastIncreaseDateTime":1700000001)")) << json;
  EXPECT_TRUE(contains(json, R"("LastDecreaseDateTime":1700000002)")) << json;
  EXPECT_TRUE(contains(json, R"("StreamSpecification":{"StreamEnabled":true,"StreamViewType":"OLD_IMAGE"},)"
                             R"("LatestStreamLabel":"2026-01-31T12:00:00.000",)"
                             R"("LatestStreamArn":"arn:aws:dynamodb:r:1:table/abc/stream/2026-01-31T12:00:00.000")"))
      << json;
  EXPECT_TRUE(contains(json, R"("SSEDescription":{"Status":"ENABLED","SSEType":"KMS",)"
                             R"("KMSMasterKeyArn":"arn:aws:kms:r:1:key/k"})"))
      << json;
  EXPECT_TRUE(contains(json, R"("TableClassSummary":{"TableClass":"STANDARD","LastUpdateDateTime":1700000003.5)"))
      << json;
  EXPECT_TRUE(contains(json, R"("DeletionProtectionEnabled":true)")) << json;
  EXPECT_TRUE(contains(json, R"("OnDemandThroughput":{"MaxReadRequestUnits":10,"MaxWriteRequestUnits":5})")) << json;
  EXPECT_TRUE(contains(json, R"("WarmThroughput":{"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4000,)"
                             R"("Status":"ACTIVE"})"))
      << json;
}

TEST(TableDescriptionJson, billing_of_a_new_table_has_no_date_yet) {
  auto table = plain_table();
  table.billing = BillingMode::kPayPerRequest;
  table.billing_summary = true;
  table.pay_per_request_since_ms = 5;
  EXPECT_TRUE(contains(written(table), R"("BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"})"));
}

TEST(TableDescriptionJson, disabled_stream_keeps_its_label_alone) {
  auto table = plain_table();
  table.stream_label = "2026-01-31T12:00:00.000";
  const auto json = written(table);
  EXPECT_FALSE(contains(json, "StreamSpecification"));
  EXPECT_TRUE(contains(json, "LatestStreamLabel"));
}

TEST(TableDescriptionJson, indexes_show_by_kind) {
  auto table = plain_table();
  IndexDescription index;
  index.name = "loc";
  index.key = {.hash = table.attributes, .range = {{"r", ValueType::kBinary}}};
  index.projection = {.type = ProjectionType::kInclude, .non_key_attributes = {"x", "y"}};
  index.arn = table.arn + "/index/loc";
  table.indexes.push_back(index);
  index.name = "glo";
  index.global = true;
  index.projection = {};
  index.status = Status::kCreating;
  index.backfilling = true;
  index.item_count = 3;
  index.size_bytes = 40;
  index.warm = {.read_units = 12'000, .write_units = 4'000};
  table.indexes.push_back(index);
  EXPECT_FALSE(contains(written(table), "WarmThroughput"));  // absent for a new table
  table.status = Status::kUpdating;
  const auto json = written(table);
  EXPECT_TRUE(contains(json, R"("WarmThroughput":{"ReadUnitsPerSecond":12000,"WriteUnitsPerSecond":4000,)"
                             R"("Status":"UPDATING"}})"))
      << json;
  EXPECT_TRUE(contains(json, R"("LocalSecondaryIndexes":[{"IndexName":"loc","KeySchema":[{"AttributeName":"p",)"
                             R"("KeyType":"HASH"},{"AttributeName":"r","KeyType":"RANGE"}],"Projection":{)"
                             R"("ProjectionType":"INCLUDE","NonKeyAttributes":["x","y"]},"IndexSizeBytes":0,)"
                             R"("ItemCount":0,"IndexArn":"arn:aws:dynamodb:r:1:table/abc/index/loc"}])"))
      << json;
  EXPECT_TRUE(contains(json, R"("Projection":{"ProjectionType":"ALL"},"IndexStatus":"CREATING","Backfilling":true,)"
                             R"("ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,)"
                             R"("WriteCapacityUnits":0},"IndexSizeBytes":40,"ItemCount":3,)"))
      << json;
}

TEST(TableDescriptionJson, table_being_deleted_has_no_keys_or_indexes) {
  auto table = plain_table();
  table.status = Status::kDeleting;
  table.indexes.emplace_back();
  EXPECT_EQ(written(table),
            R"({"TableName":"abc","TableStatus":"DELETING","ProvisionedThroughput":{"NumberOfDecreasesToday":0,)"
            R"("ReadCapacityUnits":1,"WriteCapacityUnits":2},"TableSizeBytes":0,"ItemCount":0,)"
            R"("TableArn":"arn:aws:dynamodb:r:1:table/abc","TableId":"the-id","DeletionProtectionEnabled":false})");
}

}  // namespace
}  // namespace trestle
