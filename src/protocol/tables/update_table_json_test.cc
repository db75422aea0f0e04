#include "protocol/shapes/server_json.h"

#include <gtest/gtest.h>

#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

TEST(UpdateTableJson, every_member_is_read) {
  const auto request = read(read_update_table_json, R"({
    "TableName": "abc",
    "AttributeDefinitions": [{"AttributeName":"x","AttributeType":"N"}],
    "BillingMode": "PAY_PER_REQUEST",
    "ProvisionedThroughput": {"ReadCapacityUnits":1,"WriteCapacityUnits":2},
    "GlobalSecondaryIndexUpdates": [
      {"Create":{"IndexName":"new","KeySchema":[{"AttributeName":"x","KeyType":"HASH"}],
                 "Projection":{"ProjectionType":"ALL"}}},
      {"Update":{"IndexName":"old","ProvisionedThroughput":{"ReadCapacityUnits":3,"WriteCapacityUnits":4}}},
      {"Delete":{"IndexName":"bye"}}],
    "StreamSpecification": {"StreamEnabled":false},
    "SSESpecification": {"Enabled":false},
    "TableClass": "STANDARD",
    "DeletionProtectionEnabled": false,
    "OnDemandThroughput": {"MaxReadRequestUnits":-1},
    "WarmThroughput": {"ReadUnitsPerSecond":9},
    "ReplicaUpdates": [{}]
  })");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->table_name, "abc");
  EXPECT_EQ(*request->attribute_definitions, (std::vector<KeyAttribute>{{"x", ValueType::kNumber}}));
  EXPECT_EQ(request->billing_mode, BillingMode::kPayPerRequest);
  EXPECT_EQ(request->throughput, (Throughput{.read_units = 1, .write_units = 2}));
  ASSERT_EQ(request->index_updates->size(), 3u);
  EXPECT_EQ(request->index_updates->at(0).kind, IndexUpdate::Kind::kCreate);
  EXPECT_EQ(request->index_updates->at(0).index.projection_type, ProjectionType::kAll);
  EXPECT_EQ(request->index_updates->at(1).kind, IndexUpdate::Kind::kUpdate);
  EXPECT_EQ(request->index_updates->at(1).index.throughput->write_units, 4);
  EXPECT_EQ(request->index_updates->at(2).kind, IndexUpdate::Kind::kDelete);
  EXPECT_EQ(request->index_updates->at(2).index.index_name, "bye");
  EXPECT_FALSE(request->stream->enabled);
  EXPECT_EQ(request->sse->enabled, false);
  EXPECT_EQ(request->table_class, TableClass::kStandard);
  EXPECT_EQ(request->deletion_protection, false);
  EXPECT_EQ(request->on_demand->read_units, -1);
  EXPECT_EQ(request->warm->read_units, 9);
  EXPECT_TRUE(request->replica_updates);
}

TEST(UpdateTableJson, an_empty_ReplicaUpdates_is_ignored) {
  EXPECT_FALSE(read(read_update_table_json, R"({"TableName":"abc","ReplicaUpdates":[]})")->replica_updates);
}

TEST(UpdateTableJson, members_about_replicas_are_refused) {
  for (const std::string name : {"MultiRegionConsistency", "GlobalTableSettingsReplicationMode",
                                 "GlobalTableWitnessUpdates", "DisassociationProtectionEnabled"}) {
    EXPECT_EQ(refusal(read_update_table_json, R"({"TableName":"abc",")" + name + R"(":true})"),
              "One or more parameter values were invalid: " + name + " is not supported: a table is kept in one place");
    EXPECT_EQ(refusal(read_update_table_json, R"({"TableName":"abc",")" + name + R"(":null})"), "accepted");
  }
}

TEST(UpdateTableJson, table_is_named_by_arn_too) {
  EXPECT_TRUE(
      read(read_update_table_json, R"({"TableName":"arn:aws:dynamodb:eu-west-1:000000000000:table/abc"})").has_value());
  EXPECT_EQ(refusal(read_update_table_json, "{}"),
            "The parameter 'TableName' is required but was not present in the request");
  EXPECT_EQ(
      refusal(read_update_table_json, R"({"TableName":"abc;"})"),
      "1 validation error detected: Value 'abc;' at 'tableName' failed to satisfy constraint: Member must satisfy "
      "regular expression pattern: [a-zA-Z0-9_.-]+");
}

TEST(UpdateTableJson, index_updates_are_checked_member_by_member) {
  EXPECT_EQ(refusal(read_update_table_json, R"({"TableName":"abc","GlobalSecondaryIndexUpdates":[
      {"Update":{"IndexName":"a","ProvisionedThroughput":{}}},
      {"Update":{"IndexName":"abc;","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":0}}}]})"),
            "5 validation errors detected: Value 'a' at 'globalSecondaryIndexUpdates.1.member.update.indexName' failed "
            "to satisfy constraint: Member must have length greater than or equal to 3; Value null at "
            "'globalSecondaryIndexUpdates.1.member.update.provisionedThroughput.writeCapacityUnits' failed to satisfy "
            "constraint: Member must not be null; Value null at "
            "'globalSecondaryIndexUpdates.1.member.update.provisionedThroughput.readCapacityUnits' failed to satisfy "
            "constraint: Member must not be null; Value 'abc;' at "
            "'globalSecondaryIndexUpdates.2.member.update.indexName' failed to satisfy constraint: Member must satisfy "
            "regular expression pattern: [a-zA-Z0-9_.-]+; Value '0' at "
            "'globalSecondaryIndexUpdates.2.member.update.provisionedThroughput.writeCapacityUnits' failed to satisfy "
            "constraint: Member must have value greater than or equal to 1");
  EXPECT_EQ(refusal(read_update_table_json, R"({"TableName":"abc","GlobalSecondaryIndexUpdates":[{"Delete":{}}]})"),
            "1 validation error detected: Value null at 'globalSecondaryIndexUpdates.1.member.delete.indexName' failed "
            "to satisfy constraint: Member must not be null");
}

TEST(UpdateTableJson, each_index_update_is_one_action) {
  EXPECT_EQ(refusal(read_update_table_json, R"({"TableName":"abc","GlobalSecondaryIndexUpdates":[{}]})"),
            "One or more parameter values were invalid: One of GlobalSecondaryIndexUpdate.Update, "
            "GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null");
  EXPECT_EQ(refusal(read_update_table_json, R"({"TableName":"abc","GlobalSecondaryIndexUpdates":[
      {"Delete":{"IndexName":"abc"},"Update":{"IndexName":"abd"}}]})"),
            "One or more parameter values were invalid: Only one global secondary index action is allowed per "
            "GlobalSecondaryIndexUpdate object");
}

}  // namespace
}  // namespace trestle
