#include "storage/catalog/table_encoding.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

using namespace std::string_literals;

TableDescription small_table() {
  TableDescription table;
  table.name = "tbl";
  table.attributes = {{"p", ValueType::kString}};
  table.key.hash = table.attributes;
  table.throughput = {.read_units = 1, .write_units = -1};
  table.keyspace = 300;
  return table;
}

// A table in which no field has its default value.
TableDescription full_table() {
  TableDescription table;
  table.name = "music";
  table.id = "8b0c6c1e-7d0e-4b5c-a1b9-0d4f6e3f7c21";
  table.arn = "arn:aws:dynamodb:eu-west-1:000000000000:table/music";
  table.status = Status::kUpdating;
  table.created_ms = 1'700'000'000'123;
  table.attributes = {{"artist", ValueType::kString}, {"year", ValueType::kNumber}, {"hash", ValueType::kBinary}};
  table.key = {.hash = {table.attributes[0]}, .range = {table.attributes[1]}};
  IndexDescription local;
  local.name = "by-hash";
  local.key = {.hash = {table.attributes[0]}, .range = {table.attributes[2]}};
  local.projection = {.type = ProjectionType::kKeysOnly, .non_key_attributes = {}};
  local.keyspace = 8;
  IndexDescription global;
  global.name = "by-year";
  global.global = true;
  global.key = {.hash = {table.attributes[1], table.attributes[2]}, .range = {table.attributes[0]}};
  global.projection = {.type = ProjectionType::kInclude, .non_key_attributes = {"title", ""}};
  global.status = Status::kCreating;
  global.backfilling = true;
  global.throughput = {.read_units = 3, .write_units = 4};
  global.on_demand = {.read_units = -1, .write_units = std::nullopt};
  global.warm = {.read_units = 12'000, .write_units = 4'000};
  global.keyspace = 9;
  global.throughput_increased_ms = 10;
  global.throughput_decreased_ms = 11;
  global.throughput_decreases_today = 12;
  global.insights = InsightsSetting{.enabled = true, .enabled_ms = 17, .updated_ms = 18};
  table.indexes = {local, global};
  table.billing = BillingMode::kPayPerRequest;
  table.pay_per_request_since_ms = 1'700'000'000'124;
  table.billing_summary = true;
  table.throughput = {.read_units = 5, .write_units = 6};
  table.throughput_increased_ms = 1;
  table.throughput_decreased_ms = 2;
  table.throughput_decreases_today = 3;
  table.on_demand = {.read_units = std::nullopt, .write_units = 7};
  table.warm = {.read_units = 8, .write_units = 9};
  table.deletion_protection = true;
  table.table_class = TableClass::kStandardInfrequentAccess;
  table.table_class_changed_ms = 4;
  table.sse = {.enabled = true, .type = "KMS", .key_id = "arn:aws:kms:eu-west-1:0:key/k"};
  table.stream = StreamViewType::kNewAndOldImages;
  table.stream_label = "2026-01-31T12:00:00.000";
  table.ttl_attribute = "expires";
  table.tags = {{"team", "a"}, {"empty", ""}};
  table.resource_policy = "{}";
  table.resource_policy_ms = 17;
  table.keyspace = 7;
  table.recovery = PointInTimeRecovery{.enabled_ms = 13, .period_days = 14};
  table.restore = RestoreSummary{.source_backup_arn = "backup", .source_table_arn = "source", .restore_ms = 15};
  table.history_keyspace = 16;
  VectorIndexDescription vectors;
  vectors.name = "by-sound";
  vectors.vector_attribute = "sound";
  vectors.dimensions = 256;
  vectors.distance = DistanceFunction::kEuclidean;
  vectors.search_schema = {{.attribute = table.attributes[1], .is_hash = true},
                           {.attribute = table.attributes[2], .is_hash = false}};
  vectors.projection = {.type = ProjectionType::kInclude, .non_key_attributes = {"title"}};
  vectors.status = Status::kCreating;
  vectors.backfilling = false;
  vectors.keyspace = 17;
  table.vector_indexes = {vectors};
  table.insights = InsightsSetting{.mode = InsightsMode::kThrottledKeys, .enabled_ms = 19, .updated_ms = 20};
  return table;
}

TEST(TableEncoding, bytes_of_a_small_table_are_as_documented) {
  const std::string expected =
      "\x01"  // format
      "\x01\x03"
      "tbl"           // name
      "\x04\x01\x03"  // status ACTIVE
      "\x06\x03\x01"
      "pS"  // attribute definition
      "\x07\x05\x01\x01"
      "pS\x00"              // key: one hash attribute, no range attribute
      "\x09\x01\x00"        // PROVISIONED
      "\x0C\x02\x02\x01"    // throughput 1, -1
      "\x1B\x02\xD8\x04"s;  // keyspace 300
  EXPECT_EQ(encode_table(small_table()), expected);
}

TEST(TableEncoding, every_field_survives) {
  const auto bytes = encode_table(full_table());
  const auto table = decode_table(bytes);
  ASSERT_TRUE(table.has_value()) << table.error().message;
  EXPECT_EQ(encode_table(*table), bytes);
  const auto expected = full_table();
  EXPECT_EQ(table->name, expected.name);
  EXPECT_EQ(table->id, expected.id);
  EXPECT_EQ(table->arn, expected.arn);
  EXPECT_EQ(table->status, expected.status);
  EXPECT_EQ(table->created_ms, expected.created_ms);
  EXPECT_EQ(table->attributes, expected.attributes);
  EXPECT_EQ(table->key, expected.key);
  EXPECT_EQ(table->billing, expected.billing);
  EXPECT_EQ(table->pay_per_request_since_ms, expected.pay_per_request_since_ms);
  EXPECT_TRUE(table->billing_summary);
  EXPECT_EQ(table->throughput, expected.throughput);
  EXPECT_EQ(table->throughput_increased_ms, 1);
  EXPECT_EQ(table->throughput_decreased_ms, 2);
  EXPECT_EQ(table->throughput_decreases_today, 3);
  EXPECT_EQ(table->on_demand, expected.on_demand);
  EXPECT_EQ(table->warm, expected.warm);
  EXPECT_TRUE(table->deletion_protection);
  EXPECT_EQ(table->table_class, expected.table_class);
  EXPECT_EQ(table->table_class_changed_ms, 4);
  EXPECT_EQ(table->sse.enabled, true);
  EXPECT_EQ(table->sse.type, "KMS");
  EXPECT_EQ(table->sse.key_id, expected.sse.key_id);
  EXPECT_EQ(table->stream, expected.stream);
  EXPECT_EQ(table->stream_label, expected.stream_label);
  EXPECT_EQ(table->ttl_attribute, "expires");
  EXPECT_EQ(table->tags, expected.tags);
  EXPECT_EQ(table->resource_policy, "{}");
  EXPECT_EQ(table->resource_policy_ms, 17);
  EXPECT_EQ(table->keyspace, 7u);
  EXPECT_EQ(table->recovery, expected.recovery);
  EXPECT_EQ(table->restore, expected.restore);
  EXPECT_EQ(table->history_keyspace, 16u);
  EXPECT_EQ(table->insights, expected.insights);
}

TEST(TableEncoding, every_field_of_a_vector_index_survives) {
  const auto table = decode_table(encode_table(full_table()));
  ASSERT_TRUE(table.has_value());
  ASSERT_EQ(table->vector_indexes.size(), 1u);
  const auto& index = table->vector_indexes[0];
  const auto expected = full_table().vector_indexes[0];
  EXPECT_EQ(index.name, "by-sound");
  EXPECT_EQ(index.vector_attribute, "sound");
  EXPECT_EQ(index.dimensions, 256);
  EXPECT_EQ(index.distance, DistanceFunction::kEuclidean);
  EXPECT_EQ(index.search_schema, expected.search_schema);
  EXPECT_EQ(index.projection.type, ProjectionType::kInclude);
  EXPECT_EQ(index.projection.non_key_attributes, expected.projection.non_key_attributes);
  EXPECT_EQ(index.status, Status::kCreating);
  EXPECT_EQ(index.backfilling, false);
  EXPECT_EQ(index.keyspace, 17u);
  EXPECT_EQ(index.arn, table->arn + "/index/by-sound");
}

TEST(TableEncoding, every_field_of_an_index_survives) {
  const auto table = decode_table(encode_table(full_table()));
  ASSERT_TRUE(table.has_value());
  ASSERT_EQ(table->indexes.size(), 2u);
  const auto& local = table->indexes[0];
  EXPECT_FALSE(local.global);
  EXPECT_EQ(local.projection.type, ProjectionType::kKeysOnly);
  EXPECT_EQ(local.status, Status::kActive);
  EXPECT_EQ(local.keyspace, 8u);
  const auto& global = table->indexes[1];
  const auto expected = full_table().indexes[1];
  EXPECT_EQ(global.name, "by-year");
  EXPECT_TRUE(global.global);
  EXPECT_EQ(global.key, expected.key);
  EXPECT_EQ(global.projection.type, ProjectionType::kInclude);
  EXPECT_EQ(global.projection.non_key_attributes, expected.projection.non_key_attributes);
  EXPECT_EQ(global.status, Status::kCreating);
  EXPECT_TRUE(global.backfilling);
  EXPECT_EQ(global.throughput, expected.throughput);
  EXPECT_EQ(global.on_demand, expected.on_demand);
  EXPECT_EQ(global.warm, expected.warm);
  EXPECT_EQ(global.keyspace, 9u);
  EXPECT_EQ(global.throughput_increased_ms, 10);
  EXPECT_EQ(global.throughput_decreased_ms, 11);
  EXPECT_EQ(global.throughput_decreases_today, 12);
  EXPECT_EQ(global.insights, expected.insights);
  EXPECT_FALSE(local.insights.has_value());
}

TEST(TableEncoding, arn_of_an_index_is_derived_from_its_tables) {
  const auto table = decode_table(encode_table(full_table()));
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->indexes[1].arn, "arn:aws:dynamodb:eu-west-1:000000000000:table/music/index/by-year");
}

TEST(TableEncoding, unknown_field_is_rejected_with_advice) {
  const auto table = decode_table(encode_table(small_table()) + "\x63\x00"s);
  ASSERT_FALSE(table.has_value());
  EXPECT_EQ(table.error().code, ErrorCode::kInternal);
  EXPECT_EQ(table.error().message,
            "A stored table description has field 99, which this version of Trestle does not know; open this data with "
            "the version that wrote it, or a newer one.");
}

TEST(TableEncoding, unknown_field_of_an_index_is_rejected) {
  const auto table = decode_table(encode_table(small_table()) + "\x08\x02\x63\x00"s);
  ASSERT_FALSE(table.has_value());
  EXPECT_TRUE(table.error().message.starts_with("A stored index description has field 99")) << table.error().message;
}

TEST(TableEncoding, unknown_format_is_rejected) {
  const auto table = decode_table("\x02"s);
  ASSERT_FALSE(table.has_value());
  EXPECT_TRUE(table.error().message.starts_with("A stored table description has format 2")) << table.error().message;
}

TEST(TableEncoding, truncated_descriptions_are_rejected_and_not_read_past_their_end) {
  const auto bytes = encode_table(full_table());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string prefix =
        bytes.substr(0, size);  // a separate allocation, so that sanitizers detect reads past its end
    const auto table = decode_table(prefix);
    if (table.has_value()) {
      EXPECT_LT(encode_table(*table).size(), bytes.size());
    }
  }
}

TEST(TableEncoding, damaged_values_are_rejected) {
  const auto head = encode_table(small_table());
  for (const auto& damage : {"\x04\x01\x04"s,                         // no such status
                             "\x04\x02\x03\x03"s,                     // more than the field holds
                             "\x06\x03\x01pX"s,                       // no such key type
                             "\x10\x01\x00"s,                         // limits with neither read nor write
                             "\x07\x01\x7F"s,                         // 127 key attributes, none of which follows
                             "\x12\x01\x02"s,                         // not a flag
                             "\x20\x04\x01\x02\x00\x00"s,             // no such mode of insights
                             "\x1B\x06\x80\x80\x80\x80\x80\x01"s}) {  // a keyspace of more than 32 bits
    const auto table = decode_table(head + damage);
    ASSERT_FALSE(table.has_value());
    EXPECT_TRUE(table.error().message.starts_with("A stored table description is damaged")) << table.error().message;
  }
}

TEST(TableEncoding, description_without_name_or_key_is_rejected) { EXPECT_FALSE(decode_table("\x01"s).has_value()); }

}  // namespace
}  // namespace trestle
