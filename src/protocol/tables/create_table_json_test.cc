#include "protocol/shapes/server_json.h"

#include <gtest/gtest.h>

#include "protocol/validation/refusal_for_test.h"

namespace trestle {
namespace {

std::string with(std::string_view members) {
  return R"({"TableName":"abc","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],)"
         R"("KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],)" +
         std::string(members) + "}";
}

TEST(CreateTableJson, every_member_is_read) {
  const auto request = read(read_create_table_json, R"({
    "TableName": "abc",
    "AttributeDefinitions": [{"AttributeName":"a","AttributeType":"S"},{"AttributeName":"b","AttributeType":"N"},
                             {"AttributeName":"c","AttributeType":"B"}],
    "KeySchema": [{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"b","KeyType":"RANGE"}],
    "LocalSecondaryIndexes": [{"IndexName":"loc","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],
                               "Projection":{"ProjectionType":"KEYS_ONLY"}}],
    "GlobalSecondaryIndexes": [{"IndexName":"glo","KeySchema":[{"AttributeName":"c","KeyType":"HASH"},
                                 {"AttributeName":"b","KeyType":"HASH"},{"AttributeName":"a","KeyType":"RANGE"}],
                                "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x","y"]},
                                "ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":2},
                                "OnDemandThroughput":{"MaxReadRequestUnits":3},
                                "WarmThroughput":{"WriteUnitsPerSecond":4}}],
    "BillingMode": "PROVISIONED",
    "ProvisionedThroughput": {"ReadCapacityUnits":5,"WriteCapacityUnits":6},
    "OnDemandThroughput": {"MaxReadRequestUnits":7,"MaxWriteRequestUnits":8},
    "WarmThroughput": {"ReadUnitsPerSecond":9,"WriteUnitsPerSecond":10},
    "StreamSpecification": {"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},
    "SSESpecification": {"Enabled":true,"SSEType":"KMS","KMSMasterKeyId":"k"},
    "TableClass": "STANDARD_INFREQUENT_ACCESS",
    "DeletionProtectionEnabled": true,
    "Tags": [{"Key":"team","Value":""}],
    "ResourcePolicy": "{\"Statement\":{\"Effect\":\"allow\",\"Principal\":{\"AWS\":\"123456789012\"},\"Action\":[\"dynamodb:GetItem\"],\"Resource\":\"*\"}}"
  })");
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->table_name, "abc");
  EXPECT_EQ(
      request->attribute_definitions,
      (std::vector<KeyAttribute>{{"a", ValueType::kString}, {"b", ValueType::kNumber}, {"c", ValueType::kBinary}}));
  ASSERT_EQ(request->key_schema.size(), 2u);
  EXPECT_FALSE(request->key_schema[0].is_range);
  EXPECT_EQ(request->key_schema[1].attribute_name, "b");
  EXPECT_TRUE(request->key_schema[1].is_range);
  EXPECT_EQ(request->local_indexes->at(0).index_name, "loc");
  EXPECT_EQ(request->local_indexes->at(0).projection_type, ProjectionType::kKeysOnly);
  EXPECT_FALSE(request->local_indexes->at(0).non_key_attributes);
  const auto& global = request->global_indexes->at(0);
  EXPECT_EQ(global.key_schema.size(), 3u);
  EXPECT_EQ(global.projection_type, ProjectionType::kInclude);
  EXPECT_EQ(*global.non_key_attributes, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(global.throughput, (Throughput{.read_units = 1, .write_units = 2}));
  EXPECT_EQ(global.on_demand, (ThroughputLimits{.read_units = 3, .write_units = std::nullopt}));
  EXPECT_EQ(global.warm, (ThroughputLimits{.read_units = std::nullopt, .write_units = 4}));
  EXPECT_EQ(request->billing_mode, BillingMode::kProvisioned);
  EXPECT_EQ(request->throughput, (Throughput{.read_units = 5, .write_units = 6}));
  EXPECT_EQ(request->on_demand, (ThroughputLimits{.read_units = 7, .write_units = 8}));
  EXPECT_EQ(request->warm, (ThroughputLimits{.read_units = 9, .write_units = 10}));
  EXPECT_TRUE(request->stream->enabled);
  EXPECT_EQ(request->stream->view_type, StreamViewType::kNewAndOldImages);
  EXPECT_EQ(request->sse->enabled, true);
  EXPECT_EQ(request->sse->type, "KMS");
  EXPECT_EQ(request->sse->key_id, "k");
  EXPECT_EQ(request->table_class, TableClass::kStandardInfrequentAccess);
  EXPECT_EQ(request->deletion_protection, true);
  EXPECT_EQ(*request->tags, (std::vector<Tag>{{"team", ""}}));
  EXPECT_EQ(request->resource_policy,
            R"({"Version":"2008-10-17","Statement":[{"Effect":"Allow",)"
            R"("Principal":{"AWS":"arn:aws:iam::123456789012:root"},"Action":"dynamodb:GetItem","Resource":"*"}]})");
}

TEST(CreateTableJson, an_omitted_member_is_absent) {
  const auto request = read(read_create_table_json, with(R"("LocalSecondaryIndexes":null)"));
  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_FALSE(request->local_indexes || request->global_indexes || request->billing_mode || request->throughput ||
               request->on_demand || request->warm || request->stream || request->sse || request->table_class ||
               request->deletion_protection || request->tags || request->resource_policy);
}

TEST(CreateTableJson, empty_lists_of_indexes_are_kept_for_the_engine_to_refuse) {
  const auto request = read(read_create_table_json, with(R"("LocalSecondaryIndexes":[],"GlobalSecondaryIndexes":[])"));
  ASSERT_TRUE(request.has_value());
  EXPECT_TRUE(request->local_indexes && request->local_indexes->empty());
  EXPECT_TRUE(request->global_indexes && request->global_indexes->empty());
}

TEST(CreateTableJson, shapes_are_refused_before_values) {
  EXPECT_EQ(refusal(read_create_table_json, R"({"TableName":1})"),
            "SerializationException: NUMBER_VALUE cannot be converted to String");
  EXPECT_EQ(refusal(read_create_table_json, R"({"KeySchema":"x"})"), "SerializationException: Unexpected field type");
  EXPECT_EQ(refusal(read_create_table_json, R"({"KeySchema":["x"]})"),
            "SerializationException: Unexpected value type in payload");
  EXPECT_EQ(refusal(read_create_table_json, R"({"ProvisionedThroughput":"x"})"),
            "SerializationException: Unexpected field type");
  EXPECT_EQ(refusal(read_create_table_json, R"({"ProvisionedThroughput":{"ReadCapacityUnits":"x"}})"),
            "SerializationException: STRING_VALUE cannot be converted to Long");
  EXPECT_EQ(refusal(read_create_table_json, R"({"GlobalSecondaryIndexes":[[]]})"),
            "SerializationException: Unrecognized collection type class "
            "com.amazonaws.dynamodb.v20120810.GlobalSecondaryIndex");
  EXPECT_EQ(refusal(read_create_table_json, R"({"LocalSecondaryIndexes":[{"Projection":{"NonKeyAttributes":[1]}}]})"),
            "SerializationException: NUMBER_VALUE cannot be converted to String");
}

TEST(CreateTableJson, table_name_is_required_first) {
  EXPECT_EQ(refusal(read_create_table_json, "{}"),
            "The parameter 'TableName' is required but was not present in the request");
}

TEST(CreateTableJson, table_name_of_the_wrong_length_is_reported_alone) {
  EXPECT_EQ(refusal(read_create_table_json, R"({"TableName":"ab"})"),
            "1 validation error detected: Value 'ab' at 'tableName' failed to satisfy constraint: Member must have "
            "length greater than or equal to 3");
  EXPECT_EQ(
      refusal(read_create_table_json, R"({"TableName":"","KeySchema":[]})"),
      "2 validation errors detected: Value '' at 'tableName' failed to satisfy constraint: Member must have length "
      "greater than or equal to 3; Value '' at 'tableName' failed to satisfy constraint: Member must satisfy "
      "regular expression pattern: [a-zA-Z0-9_.-]+");
  const std::string name(256, 'a');
  EXPECT_EQ(refusal(read_create_table_json, R"({"TableName":")" + name + R"("})"),
            "1 validation error detected: Value '" + name +
                "' at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255");
}

TEST(CreateTableJson, missing_members_are_reported_together) {
  EXPECT_EQ(refusal(read_create_table_json, R"({"TableName":"abc;"})"),
            "3 validation errors detected: Value null at 'attributeDefinitions' failed to satisfy constraint: Member "
            "must not be null; Value 'abc;' at 'tableName' failed to satisfy constraint: Member must satisfy regular "
            "expression pattern: [a-zA-Z0-9_.-]+; Value null at 'keySchema' failed to satisfy constraint: Member must "
            "not be null");
  EXPECT_EQ(
      refusal(read_create_table_json,
              R"({"TableName":"abc","AttributeDefinitions":[{}],"KeySchema":[],"ProvisionedThroughput":{}})"),
      "5 validation errors detected: Value null at 'attributeDefinitions.1.member.attributeType' failed to satisfy "
      "constraint: Member must not be null; Value null at 'attributeDefinitions.1.member.attributeName' failed to "
      "satisfy constraint: Member must not be null; Value null at 'provisionedThroughput.writeCapacityUnits' "
      "failed to satisfy constraint: Member must not be null; Value null at "
      "'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: Member must not be null; Value "
      "'[]' at 'keySchema' failed to satisfy constraint: Member must have length greater than or equal to 1");
}

TEST(CreateTableJson, low_units_are_reported_write_first) {
  EXPECT_EQ(
      refusal(read_create_table_json,
              with(R"("ProvisionedThroughput":{"ReadCapacityUnits":-1,"WriteCapacityUnits":-1})")),
      "2 validation errors detected: Value '-1' at 'provisionedThroughput.writeCapacityUnits' failed to satisfy "
      "constraint: Member must have value greater than or equal to 1; Value '-1' at "
      "'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: Member must have value greater than "
      "or equal to 1");
}

TEST(CreateTableJson, long_key_schema_is_shown_as_java_prints_it) {
  EXPECT_EQ(refusal(read_create_table_json, R"({"TableName":"abc","AttributeDefinitions":[],"KeySchema":[
      {"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"},
      {"AttributeName":"extra","KeyType":"RANGE"}]})"),
            "1 validation error detected: Value '[KeySchemaElement(attributeName=pk, keyType=HASH), "
            "KeySchemaElement(attributeName=sk, keyType=RANGE), KeySchemaElement(attributeName=extra, keyType=RANGE)]' "
            "at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 2");
}

TEST(CreateTableJson, enumerations_are_listed) {
  EXPECT_EQ(
      refusal(read_create_table_json, R"({"TableName":"abc","BillingMode":"X",
      "AttributeDefinitions":[{"AttributeName":"a","AttributeType":"X"}],
      "KeySchema":[{"AttributeName":"a","KeyType":"X"}],"StreamSpecification":{"StreamEnabled":true,
      "StreamViewType":"X"}})"),
      "4 validation errors detected: Value 'X' at 'attributeDefinitions.1.member.attributeType' failed to satisfy "
      "constraint: Member must satisfy enum value set: [B, N, S]; Value 'X' at 'billingMode' failed to satisfy "
      "constraint: Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]; Value 'X' at "
      "'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy enum value set: [HASH, "
      "RANGE]; Value 'X' at 'streamSpecification.streamViewType' failed to satisfy constraint: Member must satisfy "
      "enum value set: [OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES, NEW_IMAGE]");
}

TEST(CreateTableJson, table_class_is_refused_in_words_of_its_own) {
  EXPECT_EQ(refusal(read_create_table_json, with(R"("TableClass":"X")")),
            "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, "
            "STANDARD_INFREQUENT_ACCESS].");
}

TEST(CreateTableJson, empty_encryption_key_is_refused) {
  EXPECT_EQ(refusal(read_create_table_json, with(R"("SSESpecification":{"KMSMasterKeyId":""})")),
            "1 validation error detected: Value '' at 'sSESpecification.kMSMasterKeyId' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1");
}

TEST(CreateTableJson, global_indexes_are_reported_before_local_ones) {
  EXPECT_EQ(refusal(read_create_table_json,
                    with(R"("LocalSecondaryIndexes":[{"IndexName":"l1","KeySchema":[{"AttributeName":"a",
      "KeyType":"HASH"}],"Projection":{}}],"GlobalSecondaryIndexes":[{"IndexName":"g1","KeySchema":[{
      "AttributeName":"a","KeyType":"HASH"}],"Projection":{}}])")),
            "2 validation errors detected: Value 'g1' at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy "
            "constraint: Member must have length greater than or equal to 3; Value 'l1' at "
            "'localSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must have length greater "
            "than or equal to 3");
}

TEST(CreateTableJson, members_of_an_index_are_reported_projection_name_key) {
  EXPECT_EQ(
      refusal(read_create_table_json, with(R"("LocalSecondaryIndexes":[{},{"IndexName":"abc","KeySchema":[],
      "Projection":{"ProjectionType":"x","NonKeyAttributes":[]}}])")),
      "6 validation errors detected: Value null at 'localSecondaryIndexes.1.member.projection' failed to satisfy "
      "constraint: Member must not be null; Value null at 'localSecondaryIndexes.1.member.indexName' failed to "
      "satisfy constraint: Member must not be null; Value null at 'localSecondaryIndexes.1.member.keySchema' "
      "failed to satisfy constraint: Member must not be null; Value 'x' at "
      "'localSecondaryIndexes.2.member.projection.projectionType' failed to satisfy constraint: Member must "
      "satisfy enum value set: [ALL, INCLUDE, KEYS_ONLY]; Value '[]' at "
      "'localSecondaryIndexes.2.member.projection.nonKeyAttributes' failed to satisfy constraint: Member must have "
      "length greater than or equal to 1; Value '[]' at 'localSecondaryIndexes.2.member.keySchema' failed to "
      "satisfy constraint: Member must have length greater than or equal to 1");
}

TEST(CreateTableJson, ten_violations_at_most) {
  EXPECT_TRUE(refusal(read_create_table_json, with(R"("LocalSecondaryIndexes":[{},{},{},{}])"))
                  .starts_with("10 validation errors detected: "));
}

TEST(CreateTableJson, tags_have_keys_and_values) {
  EXPECT_EQ(refusal(read_create_table_json, with(R"("Tags":[{}])")), "The Tag Key provided is invalid, Key: null");
  EXPECT_EQ(refusal(read_create_table_json, with(R"("Tags":[{"Key":"k"}])")),
            "The Tag Value provided is invalid, Value: null");
}

}  // namespace
}  // namespace trestle
