#include "engine/tables/table_definition.h"

#include <gtest/gtest.h>

namespace trestle {
namespace {

constexpr TableContext kDefinitionContext{
    .region = "eu-west-1", .account = "000000000000", .now_ms = 1'769'860'800'007, .table_id = "the-id"};

KeyAttribute text_attribute(std::string name) { return {std::move(name), ValueType::kString}; }
KeySchemaElement hash(std::string name) { return {std::move(name), false}; }
KeySchemaElement range(std::string name) { return {std::move(name), true}; }

CreateTableRequest request_of(std::vector<KeyAttribute> definitions, std::vector<KeySchemaElement> key) {
  CreateTableRequest request;
  request.table_name = "abc";
  request.attribute_definitions = std::move(definitions);
  request.key_schema = std::move(key);
  request.billing_mode = BillingMode::kPayPerRequest;
  return request;
}

CreateTableRequest hash_table() { return request_of({text_attribute("a")}, {hash("a")}); }
CreateTableRequest range_table() {
  return request_of({text_attribute("a"), text_attribute("b")}, {hash("a"), range("b")});
}

IndexDefinition index_of(std::string name, std::vector<KeySchemaElement> key) {
  IndexDefinition index;
  index.index_name = std::move(name);
  index.key_schema = std::move(key);
  index.projection_type = ProjectionType::kAll;
  return index;
}

std::string definition_refusal(const CreateTableRequest& request) {
  const auto table = define_table(request, kDefinitionContext);
  if (table.has_value()) return "";
  EXPECT_EQ(table.error().code, ErrorCode::kValidation);
  return table.error().message;
}

TEST(TableDefinition, new_table_is_creating_and_has_its_keys) {
  const auto table = define_table(range_table(), kDefinitionContext);
  ASSERT_TRUE(table.has_value()) << table.error().message;
  EXPECT_EQ(table->name, "abc");
  EXPECT_EQ(table->id, "the-id");
  EXPECT_EQ(table->arn, "arn:aws:dynamodb:eu-west-1:000000000000:table/abc");
  EXPECT_EQ(table->status, Status::kCreating);
  EXPECT_EQ(table->created_ms, kDefinitionContext.now_ms);
  EXPECT_EQ(table->key.hash, std::vector{text_attribute("a")});
  EXPECT_EQ(table->key.range, std::vector{text_attribute("b")});
  EXPECT_TRUE(table->billing_summary);
  EXPECT_EQ(table->warm.read_units, 12'000);
  EXPECT_EQ(table->warm.write_units, 4'000);
}

TEST(TableDefinition, provisioned_is_the_default_and_needs_units) {
  auto request = hash_table();
  request.billing_mode.reset();
  const std::string needs =
      "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when "
      "BillingMode is PROVISIONED";
  EXPECT_EQ(definition_refusal(request), needs);
  request.billing_mode = BillingMode::kProvisioned;
  EXPECT_EQ(definition_refusal(request), needs);
  request.throughput = {.read_units = 1, .write_units = 2};
  const auto table = define_table(request, kDefinitionContext);
  ASSERT_TRUE(table.has_value());
  EXPECT_FALSE(table->billing_summary);
  EXPECT_EQ(table->throughput.write_units, 2);
  EXPECT_EQ(table->warm.write_units, 2);
}

TEST(TableDefinition, units_are_rejected_with_pay_per_request) {
  auto request = hash_table();
  request.throughput = {.read_units = 1, .write_units = 1};
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be "
            "specified when BillingMode is PAY_PER_REQUEST");
}

TEST(TableDefinition, bounds_of_units_are_checked_before_keys) {
  auto request = request_of({}, {hash("a")});
  request.billing_mode.reset();
  request.throughput = {.read_units = 1'000'000'000'001, .write_units = 1'000'000'000'001};
  EXPECT_EQ(definition_refusal(request), "Given value 1000000000001 for ReadCapacityUnits is out of bounds");
  request.throughput = {.read_units = 1'000'000'000'000, .write_units = 1'000'000'000'001};
  EXPECT_EQ(definition_refusal(request), "Given value 1000000000001 for WriteCapacityUnits is out of bounds");
}

TEST(TableDefinition, more_keys_than_definitions_are_rejected_before_names_are_compared) {
  const std::string message = "Invalid KeySchema: Some index key attribute have no definition";
  EXPECT_EQ(definition_refusal(request_of({}, {hash("a"), hash("a")})), message);
  EXPECT_EQ(definition_refusal(request_of({text_attribute("b")}, {hash("a"), range("b")})), message);
  EXPECT_EQ(definition_refusal(request_of({text_attribute("a")}, {hash("a"), range("a")})), message);
}

TEST(TableDefinition, key_without_definition_is_rejected) {
  EXPECT_EQ(definition_refusal(request_of({text_attribute("b")}, {hash("a")})),
            "One or more parameter values were invalid: Some index key attributes are not defined in "
            "AttributeDefinitions. Keys: [a], AttributeDefinitions: [b]");
}

TEST(TableDefinition, duplicate_key_attributes_are_rejected) {
  EXPECT_EQ(definition_refusal(request_of({text_attribute("a"), text_attribute("b")}, {hash("a"), hash("a")})),
            "Both the Hash Key and the Range Key element in the KeySchema have the same name");
}

TEST(TableDefinition, key_is_hash_then_range) {
  EXPECT_EQ(definition_refusal(request_of({text_attribute("a"), text_attribute("b")}, {range("a"), hash("b")})),
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
  EXPECT_EQ(definition_refusal(request_of({text_attribute("a"), text_attribute("b")}, {hash("a"), hash("b")})),
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
}

TEST(TableDefinition, empty_key_is_rejected) {
  EXPECT_FALSE(define_table(request_of({}, {}), kDefinitionContext).has_value());
}

TEST(TableDefinition, unused_definition_of_a_table_without_indexes_is_rejected) {
  EXPECT_EQ(
      definition_refusal(
          request_of({text_attribute("a"), text_attribute("c"), text_attribute("b")}, {hash("a"), range("b")})),
      "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number "
      "of attributes defined in AttributeDefinitions");
}

TEST(TableDefinition, unused_definition_of_a_table_with_indexes_is_rejected) {
  auto request = request_of({text_attribute("a"), text_attribute("b"), text_attribute("c")}, {hash("a")});
  request.global_indexes = {index_of("idx", {hash("b")})};
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: Some AttributeDefinitions are not used. AttributeDefinitions: "
            "[a, b, c], keys used: [a, b]");
}

TEST(TableDefinition, attribute_defined_twice_is_rejected) {
  EXPECT_EQ(definition_refusal(request_of({text_attribute("a"), {"a", ValueType::kNumber}}, {hash("a")})),
            "Attribute Name is duplicated: a");
}

TEST(TableDefinition, sets_of_names_are_reported_in_the_order_of_a_java_hash_set) {
  auto request = request_of(
      {text_attribute("pk"), text_attribute("sk"), text_attribute("a"), text_attribute("b"), text_attribute("c")},
      {hash("pk"), range("sk")});
  request.global_indexes = {index_of("idx", {hash("a")})};
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: Some AttributeDefinitions are not used. AttributeDefinitions: "
            "[sk, a, b, pk, c], keys used: [a, sk, pk]");
}

TEST(TableDefinition, unused_definition_hides_other_errors_of_an_index) {
  auto request = request_of({text_attribute("a"), text_attribute("b"), text_attribute("c")}, {hash("a")});
  auto index = index_of("idx", {hash("b")});
  index.projection_type.reset();
  request.global_indexes = {index};
  EXPECT_NE(definition_refusal(request).find("Some AttributeDefinitions are not used."), std::string::npos);
}

TEST(TableDefinition, definitions_and_projected_names_are_kept_sorted) {
  auto request = request_of({text_attribute("z"), text_attribute("a")}, {hash("z"), range("a")});
  auto index = index_of("idx", {hash("a")});
  index.projection_type = ProjectionType::kInclude;
  index.non_key_attributes = {"y", "x"};
  request.global_indexes = {index};
  const auto table = define_table(request, kDefinitionContext);
  ASSERT_TRUE(table.has_value()) << table.error().message;
  EXPECT_EQ(table->attributes, (std::vector{text_attribute("a"), text_attribute("z")}));
  EXPECT_EQ(table->indexes[0].projection.non_key_attributes, (std::vector<std::string>{"x", "y"}));
}

TEST(TableDefinition, local_indexes_need_a_range_key) {
  auto request = request_of({text_attribute("a"), text_attribute("b")}, {hash("a")});
  request.local_indexes.emplace();
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: List of LocalSecondaryIndexes is empty");
  request.local_indexes = {index_of("abc", {range("c")})};
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: Table KeySchema does not have a range key, which is required "
            "when specifying a LocalSecondaryIndex");
}

TEST(TableDefinition, key_of_a_local_index_is_the_tables_hash_and_a_range) {
  auto request = range_table();
  const auto refusal_of_key = [&](std::vector<KeySchemaElement> key) {
    request.local_indexes = {index_of("abc", std::move(key))};
    return definition_refusal(request);
  };
  EXPECT_EQ(refusal_of_key({range("c"), range("d")}),
            "One or more parameter values were invalid: Some index key attributes are not defined in "
            "AttributeDefinitions. Keys: [c, d], AttributeDefinitions: [a, b]");
  EXPECT_EQ(refusal_of_key({hash("a"), hash("a")}),
            "Both the Hash Key and the Range Key element in the KeySchema have the same name");
  EXPECT_EQ(refusal_of_key({range("a")}), "Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
  EXPECT_EQ(refusal_of_key({hash("a"), hash("b")}),
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
  EXPECT_EQ(refusal_of_key({hash("b")}),
            "One or more parameter values were invalid: Index KeySchema does not have a range key for index: abc");
  EXPECT_EQ(refusal_of_key({hash("b"), range("a")}),
            "One or more parameter values were invalid: Index KeySchema does not have the same leading hash key as "
            "table KeySchema for index: abc. index hash key: b, table hash key: a");
}

TEST(TableDefinition, projection_has_a_type_and_the_attributes_it_needs) {
  auto request = range_table();
  auto index = index_of("abc", {hash("a"), range("b")});
  const auto refusal_of_index = [&] {
    request.local_indexes = {index};
    return definition_refusal(request);
  };
  index.projection_type.reset();
  index.non_key_attributes = {"x"};
  EXPECT_EQ(refusal_of_index(), "One or more parameter values were invalid: Unknown ProjectionType: null");
  index.projection_type = ProjectionType::kAll;
  EXPECT_EQ(refusal_of_index(),
            "One or more parameter values were invalid: ProjectionType is ALL, but NonKeyAttributes is specified");
  index.projection_type = ProjectionType::kKeysOnly;
  EXPECT_EQ(
      refusal_of_index(),
      "One or more parameter values were invalid: ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified");
  index.projection_type = ProjectionType::kInclude;
  index.non_key_attributes.reset();
  EXPECT_EQ(
      refusal_of_index(),
      "One or more parameter values were invalid: ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
  index.non_key_attributes = {"x", "y", "x"};
  EXPECT_EQ(refusal_of_index(), "One or more parameter values were invalid: Duplicate element in NonKeyAttributes: x");
  index.non_key_attributes = {"x"};
  EXPECT_EQ(refusal_of_index(), "");
}

TEST(TableDefinition, index_names_are_unique_across_kinds) {
  auto request = range_table();
  const auto index = index_of("abc", {hash("a"), range("b")});
  request.local_indexes = {index, index};
  EXPECT_EQ(definition_refusal(request), "One or more parameter values were invalid: Duplicate index name: abc");
  request.local_indexes = {index};
  request.global_indexes = {index};
  EXPECT_EQ(definition_refusal(request), "One or more parameter values were invalid: Duplicate index name: abc");
}

TEST(TableDefinition, five_local_and_twenty_global_indexes_at_most) {
  auto request = range_table();
  request.local_indexes.emplace();
  for (int i = 0; i < 6; ++i) {
    request.local_indexes->push_back(index_of("idx" + std::to_string(i), {hash("a"), range("b")}));
  }
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: Number of LocalSecondaryIndexes exceeds per-table limit of 5");
  request.local_indexes->pop_back();
  EXPECT_EQ(definition_refusal(request), "");
  request.global_indexes.emplace();
  for (int i = 0; i < 21; ++i) request.global_indexes->push_back(index_of("gdx" + std::to_string(i), {hash("b")}));
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: GlobalSecondaryIndex count exceeds the per-table limit of 20");
  request.global_indexes->pop_back();
  EXPECT_EQ(definition_refusal(request), "");
}

TEST(TableDefinition, hundred_projected_attributes_over_all_indexes_at_most) {
  auto request = range_table();
  request.global_indexes.emplace();
  for (int i = 0; i < 6; ++i) {
    auto index = index_of("idx" + std::to_string(i), {hash("b")});
    index.projection_type = ProjectionType::kInclude;
    index.non_key_attributes.emplace();
    for (int j = 0; j < 20; ++j) index.non_key_attributes->push_back("x" + std::to_string(j));
    request.global_indexes->push_back(index);
  }
  EXPECT_NE(definition_refusal(request), "");
  request.global_indexes->pop_back();
  EXPECT_EQ(definition_refusal(request), "");
}

TEST(TableDefinition, global_indexes_have_units_when_the_table_has) {
  auto request = range_table();
  auto index = index_of("abc", {hash("b")});
  index.throughput = {.read_units = 1, .write_units = 1};
  request.global_indexes = {index};
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: ProvisionedThroughput should not be specified for index: abc "
            "when BillingMode is PAY_PER_REQUEST");
  request.billing_mode = BillingMode::kProvisioned;
  request.throughput = index.throughput;
  EXPECT_EQ(definition_refusal(request), "");
  request.global_indexes->front().throughput->read_units = 1'000'000'000'001;
  EXPECT_EQ(definition_refusal(request),
            "Given value 1000000000001 for ReadCapacityUnits is out of bounds for index abc");
  request.global_indexes->front().throughput.reset();
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: ProvisionedThroughput is not specified for index: abc");
  request.global_indexes->clear();
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: List of GlobalSecondaryIndexes is empty");
}

TEST(TableDefinition, global_index_has_up_to_four_attributes_of_each_kind) {
  auto request = request_of(
      {text_attribute("a"), text_attribute("b"), text_attribute("c"), text_attribute("d"), text_attribute("e")},
      {hash("a")});
  const auto refusal_of_key = [&](std::vector<KeySchemaElement> key) {
    request.global_indexes = {index_of("abc", std::move(key))};
    return definition_refusal(request);
  };
  EXPECT_EQ(refusal_of_key({hash("b"), hash("c"), range("d"), range("e")}), "");
  EXPECT_EQ(refusal_of_key({hash("b"), hash("c"), hash("d"), hash("e")}), "");
  EXPECT_EQ(
      refusal_of_key({hash("b"), range("c"), hash("d"), range("e")}),
      "One or more parameter values were invalid: All HASH key attributes must precede RANGE key attributes in the "
      "KeySchema");
  EXPECT_EQ(refusal_of_key({range("b"), range("c"), range("d"), range("e")}),
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
  EXPECT_EQ(refusal_of_key({hash("a"), hash("b"), hash("c"), hash("d"), hash("e")}),
            "One or more parameter values were invalid: The KeySchema exceeds the maximum allowed number of HASH key "
            "attributes");
  request.attribute_definitions.push_back(text_attribute("f"));
  EXPECT_EQ(refusal_of_key({hash("a"), range("b"), range("c"), range("d"), range("e"), range("f")}),
            "One or more parameter values were invalid: The KeySchema exceeds the maximum allowed number of RANGE key "
            "attributes");
  request.attribute_definitions.resize(2);
  EXPECT_EQ(refusal_of_key({hash("a"), range("b"), range("b")}),
            "The KeySchema contains multiple key attributes with the same name");
}

TEST(TableDefinition, indexes_are_local_then_global_and_have_arns) {
  auto request = range_table();
  request.global_indexes = {index_of("glo", {hash("b")})};
  request.local_indexes = {index_of("loc", {hash("a"), range("b")})};
  const auto table = define_table(request, kDefinitionContext);
  ASSERT_TRUE(table.has_value());
  ASSERT_EQ(table->indexes.size(), 2u);
  EXPECT_EQ(table->indexes[0].name, "loc");
  EXPECT_FALSE(table->indexes[0].global);
  EXPECT_EQ(table->indexes[0].status, Status::kActive);
  EXPECT_EQ(table->indexes[1].arn, "arn:aws:dynamodb:eu-west-1:000000000000:table/abc/index/glo");
  EXPECT_EQ(table->indexes[1].status, Status::kCreating);
  EXPECT_FALSE(table->indexes[1].backfilling);
  EXPECT_EQ(table->indexes[1].warm.read_units, 12'000);
}

TEST(TableDefinition, on_demand_limits_are_positive) {
  auto request = hash_table();
  request.on_demand = {.read_units = -1, .write_units = 1};
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: Requested MaxReadRequestUnits for OnDemandThroughput for table "
            "is outside of valid range");
  request.on_demand = {.read_units = 10, .write_units = 0};
  EXPECT_EQ(
      definition_refusal(request),
      "One or more parameter values were invalid: Requested MaxWriteRequestUnits for OnDemandThroughput for table "
      "is outside of valid range");
  request.on_demand = {.read_units = 10, .write_units = std::nullopt};
  EXPECT_EQ(define_table(request, kDefinitionContext)->on_demand.read_units, 10);
  request.billing_mode.reset();
  request.throughput = {.read_units = 1, .write_units = 1};
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: MaxReadRequestUnits for OnDemandThroughput cannot be specified "
            "when table BillingMode is PROVISIONED.");
}

TEST(TableDefinition, on_demand_limits_of_an_index_are_reported_with_its_name) {
  auto request = range_table();
  auto index = index_of("idx", {hash("b")});
  index.on_demand = {.read_units = std::nullopt, .write_units = 0};
  request.global_indexes = {index};
  EXPECT_EQ(
      definition_refusal(request),
      "One or more parameter values were invalid: Requested MaxWriteRequestUnits for OnDemandThroughput for index "
      ": idx is outside of valid range");
  request.billing_mode = BillingMode::kProvisioned;
  request.throughput = {.read_units = 1, .write_units = 1};
  request.global_indexes->front().throughput = request.throughput;
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: MaxWriteRequestUnits for OnDemandThroughput for index: idx "
            "cannot be specified when table BillingMode is PROVISIONED.");
}

TEST(TableDefinition, warm_throughput_is_at_least_the_initial_throughput) {
  auto request = hash_table();
  request.warm = {.read_units = 11'999, .write_units = std::nullopt};
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: Requested ReadUnitsPerSecond for WarmThroughput for table is "
            "lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/"
            "developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial");
  request.warm = {.read_units = 15'000, .write_units = std::nullopt};
  const auto table = define_table(request, kDefinitionContext);
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->warm, (ThroughputLimits{.read_units = 15'000, .write_units = 4'000}));
  request.billing_mode.reset();
  request.throughput = {.read_units = 10, .write_units = 10};
  request.warm = {.read_units = 10, .write_units = 5};
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: Requested WriteUnitsPerSecond for WarmThroughput for table is "
            "lower than WriteCapacityUnits of ProvisionedThroughput");
}

TEST(TableDefinition, stream_has_a_view_type_and_a_label_derived_from_the_time) {
  auto request = hash_table();
  request.stream = {.enabled = true, .view_type = std::nullopt};
  EXPECT_EQ(
      definition_refusal(request),
      "One or more parameter values were invalid: Table is being created with a stream enabled, UpdateViewType is "
      "required");
  request.stream = {.enabled = false, .view_type = StreamViewType::kNewImage};
  EXPECT_EQ(definition_refusal(request),
            "One or more parameter values were invalid: Table is being created with a stream disabled, UpdateViewType "
            "should not be specified");
  request.stream = {.enabled = false, .view_type = std::nullopt};
  EXPECT_EQ(define_table(request, kDefinitionContext)->stream, std::nullopt);
  request.stream = {.enabled = true, .view_type = StreamViewType::kNewImage};
  const auto table = define_table(request, kDefinitionContext);
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->stream, StreamViewType::kNewImage);
  EXPECT_EQ(table->stream_label, "2026-01-31T12:00:00.007");
}

TEST(TableDefinition, encryption_key_becomes_an_arn) {
  auto request = hash_table();
  request.sse = {.enabled = true, .type = "", .key_id = ""};
  EXPECT_EQ(define_table(request, kDefinitionContext)->sse.key_id,
            "arn:aws:kms:eu-west-1:000000000000:alias/aws/dynamodb");
  request.sse = {.enabled = true, .type = "KMS", .key_id = "k1"};
  EXPECT_EQ(define_table(request, kDefinitionContext)->sse.key_id, "arn:aws:kms:eu-west-1:000000000000:key/k1");
}

TEST(TableDefinition, inconsistent_encryption_settings_are_rejected) {
  const auto refusal_of = [](SseSpecification sse) {
    auto request = hash_table();
    request.sse = std::move(sse);
    return definition_refusal(request);
  };
  const std::string prefix = "One or more parameter values were invalid: ";
  EXPECT_EQ(refusal_of({.enabled = true, .type = "AES256", .key_id = ""}), prefix + "SSEType AES256 is not supported");
  EXPECT_EQ(refusal_of({.enabled = true, .type = "", .key_id = "k"}),
            prefix + "SSEType KMS is required if KMSMasterKeyId is specified");
  EXPECT_EQ(refusal_of({.enabled = false, .type = "KMS", .key_id = ""}),
            prefix + "SSEType can not be specified if Enabled is false");
  EXPECT_EQ(refusal_of({.enabled = false, .type = "", .key_id = "k"}),
            prefix + "KMSMasterKeyId can not be specified if Enabled is false");
  EXPECT_EQ(refusal_of({.enabled = false, .type = "", .key_id = ""}), "");
}

TEST(TableDefinition, other_settings_are_kept) {
  auto request = hash_table();
  request.tags = std::vector<Tag>{{"k", "v"}};
  request.deletion_protection = true;
  request.table_class = TableClass::kStandardInfrequentAccess;
  request.resource_policy = "{}";
  const auto table = define_table(request, kDefinitionContext);
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->tags, *request.tags);
  EXPECT_TRUE(table->deletion_protection);
  EXPECT_EQ(table->table_class, TableClass::kStandardInfrequentAccess);
  EXPECT_EQ(table->resource_policy, "{}");
}

TEST(TableDefinition, protected_table_is_not_deleted) {
  auto table = *define_table(hash_table(), kDefinitionContext);
  table.status = Status::kActive;
  EXPECT_TRUE(check_deletable(table).has_value());
  table.deletion_protection = true;
  EXPECT_EQ(
      check_deletable(table).error().message,
      "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.");
}

TEST(TableDefinition, table_is_not_deleted_while_an_index_is_created) {
  auto request = request_of({text_attribute("a"), text_attribute("b")}, {hash("a")});
  request.global_indexes = {index_of("idx", {hash("b")})};
  auto table = *define_table(request, kDefinitionContext);
  table.status = Status::kActive;
  EXPECT_EQ(check_deletable(table).error().code, ErrorCode::kResourceInUse);
  EXPECT_EQ(check_deletable(table).error().message,
            "Attempt to change a resource which is still in use: Cannot delete table while indexes are being created, "
            "updated, or deleted.");
  table.indexes[0].status = Status::kActive;
  EXPECT_TRUE(check_deletable(table).has_value());
}

TEST(TableDefinition, table_that_is_not_active_cannot_be_changed) {
  auto table = *define_table(hash_table(), kDefinitionContext);
  const std::string in_use = "Attempt to change a resource which is still in use: Table is being ";
  EXPECT_EQ(check_deletable(table).error().code, ErrorCode::kResourceInUse);
  EXPECT_EQ(check_deletable(table).error().message, in_use + "created: abc");
  table.status = Status::kUpdating;
  EXPECT_EQ(check_table_active(table).error().message, in_use + "updated: abc");
  table.status = Status::kDeleting;
  EXPECT_EQ(check_table_active(table).error().message, in_use + "deleted: abc");
}

TEST(TableDefinition, existing_and_missing_tables_have_dynamodbs_errors) {
  EXPECT_EQ(table_already_exists("abc").message, "Table already exists: abc");
  EXPECT_EQ(table_already_exists("abc").code, ErrorCode::kResourceInUse);
  EXPECT_EQ(table_not_found("abc").message, "Requested resource not found: Table: abc not found");
  EXPECT_EQ(table_not_found("abc").code, ErrorCode::kResourceNotFound);
}

}  // namespace
}  // namespace trestle
