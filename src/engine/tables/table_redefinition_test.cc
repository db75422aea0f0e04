#include "engine/tables/table_redefinition.h"

#include <gtest/gtest.h>

#include "engine/durations_for_test.h"

namespace trestle {
namespace {

constexpr TableContext kRedefinitionContext{
    .region = "r", .account = "1", .now_ms = 20'000 * kDayMs + 5, .table_id = {}};

// A table with the hash key p and a global index idx on x.
TableDescription table_of(BillingMode billing) {
  CreateTableRequest request;
  request.table_name = "abc";
  request.attribute_definitions = {{"p", ValueType::kString}, {"x", ValueType::kString}};
  request.key_schema = {{"p", false}};
  request.billing_mode = billing;
  IndexDefinition index;
  index.index_name = "idx";
  index.key_schema = {{"x", false}};
  index.projection_type = ProjectionType::kAll;
  if (billing == BillingMode::kProvisioned) {
    request.throughput = {.read_units = 5, .write_units = 5};
    index.throughput = request.throughput;
  }
  request.global_indexes = {index};
  auto table = define_table(request, kRedefinitionContext);
  EXPECT_TRUE(table.has_value());
  table->status = Status::kActive;
  table->indexes[0].status = Status::kActive;
  return *table;
}

UpdateTableRequest index_update(IndexUpdate::Kind kind, std::string name) {
  UpdateTableRequest request;
  request.table_name = "abc";
  IndexUpdate update{.kind = kind, .index = {}};
  update.index.index_name = std::move(name);
  request.index_updates = {update};
  return request;
}

UpdateTableRequest index_creation(std::string name, KeyAttribute attribute) {
  auto request = index_update(IndexUpdate::Kind::kCreate, std::move(name));
  request.attribute_definitions = {attribute};
  auto& index = request.index_updates->front().index;
  index.key_schema = {{attribute.name, false}};
  index.projection_type = ProjectionType::kAll;
  return request;
}

Error redefinition_refusal(const TableDescription& table, const UpdateTableRequest& request) {
  if (auto checked = check_table_update(request); !checked.has_value()) return checked.error();
  const auto changed = redefine_table(table, request, kRedefinitionContext);
  return changed.has_value() ? Error{.code = ErrorCode::kInternal, .message = "not refused", .item = nullptr}
                             : changed.error();
}

TableDescription changed(const TableDescription& table, const UpdateTableRequest& request) {
  EXPECT_TRUE(check_table_update(request).has_value());
  auto result = redefine_table(table, request, kRedefinitionContext);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result.value_or(TableDescription{});
}

TEST(TableRedefinition, request_that_changes_nothing_is_rejected) {
  UpdateTableRequest request;
  const std::string message =
      "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
      "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
      "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required";
  EXPECT_EQ(check_table_update(request).error().message, message);
  request.attribute_definitions.emplace();
  request.index_updates.emplace();
  EXPECT_EQ(check_table_update(request).error().message, message);
  request.deletion_protection = true;
  EXPECT_EQ(check_table_update(request).error().message,
            "One or more parameter values were invalid: List of GlobalSecondaryIndexUpdates is empty");
}

TEST(TableRedefinition, most_changes_cannot_be_combined) {
  const auto refusal_of = [](auto... set) {
    UpdateTableRequest request;
    (set(request), ...);
    const auto checked = check_table_update(request);
    return checked.has_value() ? std::string() : checked.error().message;
  };
  const auto sse = [](UpdateTableRequest& r) { r.sse = {.enabled = true, .type = "KMS", .key_id = ""}; };
  const auto table_class = [](UpdateTableRequest& r) { r.table_class = TableClass::kStandard; };
  const auto protection = [](UpdateTableRequest& r) { r.deletion_protection = true; };
  const auto warm = [](UpdateTableRequest& r) { r.warm = {.read_units = 1, .write_units = 1}; };
  const auto on_demand = [](UpdateTableRequest& r) { r.on_demand = {.read_units = 1, .write_units = 1}; };
  const auto stream = [](UpdateTableRequest& r) {
    r.stream = {.enabled = true, .view_type = StreamViewType::kKeysOnly};
  };
  const auto units = [](UpdateTableRequest& r) { r.throughput = {.read_units = 1, .write_units = 1}; };
  const auto per_request = [](UpdateTableRequest& r) { r.billing_mode = BillingMode::kPayPerRequest; };
  const auto remove = [](UpdateTableRequest& r) {
    r.index_updates = index_update(IndexUpdate::Kind::kDelete, "idx").index_updates;
  };
  const auto create = [](UpdateTableRequest& r) {
    const auto creation = index_creation("new", {"y", ValueType::kNumber});
    r.index_updates = creation.index_updates;
    r.attribute_definitions = creation.attribute_definitions;
  };
  const std::string prefix = "One or more parameter values were invalid: ";
  const std::string only = " must be the only operation in the request";
  EXPECT_EQ(refusal_of(protection, sse), prefix + "Server-Side Encryption modification" + only);
  EXPECT_EQ(refusal_of(protection, table_class), prefix + "TableClass modification" + only);
  EXPECT_EQ(refusal_of(protection, warm), prefix + "DeletionProtection modification" + only);
  EXPECT_EQ(refusal_of(create, protection), prefix + "DeletionProtection modification" + only);
  EXPECT_EQ(refusal_of(warm, units), prefix + "WarmThroughput" + only);
  EXPECT_EQ(refusal_of(warm, create),
            prefix + "Create global secondary index cannot be specified when updating WarmThroughput");
  EXPECT_EQ(refusal_of(stream, on_demand),
            prefix + "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request");
  EXPECT_EQ(refusal_of(stream, units), prefix + "You cannot modify stream status while updating table IOPS");
  EXPECT_EQ(refusal_of(remove, units), prefix + "You cannot create or delete index while updating table IOPS");
  EXPECT_EQ(refusal_of(create, stream), prefix + "You cannot create or delete index while changing stream status");
  EXPECT_EQ(refusal_of(per_request, on_demand), "");
  EXPECT_EQ(refusal_of(per_request, stream), "");
  EXPECT_EQ(refusal_of(per_request, create), "");
  for (const auto& alone : {refusal_of(sse), refusal_of(table_class), refusal_of(protection), refusal_of(warm),
                            refusal_of(on_demand), refusal_of(stream), refusal_of(units), refusal_of(create)}) {
    EXPECT_EQ(alone, "");
  }
}

TEST(TableRedefinition, provisioned_needs_units_and_units_have_a_bound) {
  UpdateTableRequest request;
  request.billing_mode = BillingMode::kProvisioned;
  EXPECT_EQ(check_table_update(request).error().message,
            "One or more parameter values were invalid: ProvisionedThroughput must be specified when BillingMode is "
            "PROVISIONED");
  request.throughput = {.read_units = 1'000'000'000'001, .write_units = 1};
  EXPECT_EQ(check_table_update(request).error().message,
            "Given value 1000000000001 for ReadCapacityUnits is out of bounds");
}

TEST(TableRedefinition, replicas_are_rejected) {
  UpdateTableRequest request;
  request.replica_updates = true;
  EXPECT_EQ(check_table_update(request).error().code, ErrorCode::kValidation);
}

TEST(TableRedefinition, one_update_for_each_index) {
  auto request = index_update(IndexUpdate::Kind::kDelete, "idx");
  request.index_updates->push_back(request.index_updates->front());
  EXPECT_EQ(check_table_update(request).error().message,
            "One or more parameter values were invalid: Only one global secondary index update per index is allowed "
            "simultaneously. Index: idx");
}

TEST(TableRedefinition, table_that_is_not_active_cannot_be_changed) {
  auto table = table_of(BillingMode::kProvisioned);
  table.status = Status::kUpdating;
  UpdateTableRequest request;
  request.deletion_protection = true;
  EXPECT_EQ(redefinition_refusal(table, request).code, ErrorCode::kResourceInUse);
  EXPECT_EQ(redefinition_refusal(table, request).message,
            "Attempt to change a resource which is still in use: Table is being updated: abc");
}

TEST(TableRedefinition, equal_units_are_rejected) {
  UpdateTableRequest request;
  request.throughput = {.read_units = 5, .write_units = 5};
  EXPECT_EQ(redefinition_refusal(table_of(BillingMode::kProvisioned), request).message,
            "The provisioned throughput for the table will not change. The requested value equals the current value. "
            "Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. Current "
            "WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. Refer to the Amazon "
            "DynamoDB Developer Guide for current limits and how to request higher limits.");
}

TEST(TableRedefinition, increases_and_decreases_of_units_are_recorded_by_day) {
  UpdateTableRequest request;
  request.throughput = {.read_units = 6, .write_units = 4};
  auto table = changed(table_of(BillingMode::kProvisioned), request);
  EXPECT_EQ(table.status, Status::kUpdating);
  EXPECT_EQ(table.throughput.read_units, 6);
  EXPECT_EQ(table.throughput_increased_ms, kRedefinitionContext.now_ms);
  EXPECT_EQ(table.throughput_decreased_ms, kRedefinitionContext.now_ms);
  EXPECT_EQ(table.throughput_decreases_today, 1);

  table.status = Status::kActive;
  request.throughput = {.read_units = 5, .write_units = 4};
  EXPECT_EQ(changed(table, request).throughput_decreases_today, 2);
  table.throughput_decreased_ms -= kDayMs;
  EXPECT_EQ(changed(table, request).throughput_decreases_today, 1);
}

TEST(TableRedefinition, decreases_of_an_index_are_limited_separately_from_its_tables) {
  auto table = table_of(BillingMode::kProvisioned);
  table.indexes.back().throughput = {.read_units = 100, .write_units = 100};
  auto request = index_update(IndexUpdate::Kind::kUpdate, "idx");
  for (int64_t units = 99; units > 95; --units) {
    request.index_updates->front().index.throughput = {.read_units = units, .write_units = 100};
    table = changed(table, request);
    table.status = Status::kActive;
    table.indexes.back().status = Status::kActive;
  }
  EXPECT_EQ(table.indexes.back().throughput_decreases_today, 4);
  EXPECT_EQ(table.indexes.back().throughput_decreased_ms, kRedefinitionContext.now_ms);
  EXPECT_EQ(table.throughput_decreases_today, 0);

  request.index_updates->front().index.throughput = {.read_units = 1, .write_units = 200};
  EXPECT_EQ(redefinition_refusal(table, request).code, ErrorCode::kLimitExceeded);
  request.throughput = {.read_units = 4, .write_units = 5};
  EXPECT_EQ(redefinition_refusal(table, request).code, ErrorCode::kLimitExceeded) << "nor with a decrease of the table";
  request.index_updates->front().index.throughput = {.read_units = 200, .write_units = 200};
  EXPECT_EQ(changed(table, request).throughput_decreases_today, 1) << "growing is free";
}

TEST(TableRedefinition, units_are_rejected_with_pay_per_request) {
  UpdateTableRequest request;
  request.throughput = {.read_units = 6, .write_units = 6};
  const std::string message =
      "One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
      "when "
      "BillingMode is PAY_PER_REQUEST";
  EXPECT_EQ(redefinition_refusal(table_of(BillingMode::kPayPerRequest), request).message, message);
  request.billing_mode = BillingMode::kPayPerRequest;
  EXPECT_EQ(redefinition_refusal(table_of(BillingMode::kProvisioned), request).message, message);
}

TEST(TableRedefinition, switch_to_pay_per_request_clears_units_everywhere) {
  UpdateTableRequest request;
  request.billing_mode = BillingMode::kPayPerRequest;
  const auto table = changed(table_of(BillingMode::kProvisioned), request);
  EXPECT_EQ(table.billing, BillingMode::kPayPerRequest);
  EXPECT_TRUE(table.billing_summary);
  EXPECT_EQ(table.pay_per_request_since_ms, kRedefinitionContext.now_ms);
  EXPECT_EQ(table.throughput, Throughput{});
  EXPECT_EQ(table.indexes[0].throughput, Throughput{});
  EXPECT_EQ(table.indexes[0].status, Status::kUpdating);
  EXPECT_EQ(table.warm.read_units, 12'000);
}

TEST(TableRedefinition, repeating_pay_per_request_changes_nothing_and_is_accepted) {
  UpdateTableRequest request;
  request.billing_mode = BillingMode::kPayPerRequest;
  auto before = table_of(BillingMode::kPayPerRequest);
  before.pay_per_request_since_ms = 7;
  EXPECT_EQ(changed(before, request).pay_per_request_since_ms, 7);
  EXPECT_EQ(changed(before, request).status, Status::kActive);
}

TEST(TableRedefinition, switch_to_provisioned_names_the_units_of_every_index) {
  auto request = index_update(IndexUpdate::Kind::kUpdate, "idx");
  request.billing_mode = BillingMode::kProvisioned;
  request.throughput = {.read_units = 1, .write_units = 1};
  auto without = request;
  without.index_updates.reset();
  EXPECT_EQ(redefinition_refusal(table_of(BillingMode::kPayPerRequest), without).message,
            "One or more parameter values were invalid: ProvisionedThroughput must be specified for index: idx");
  request.index_updates->front().index.throughput = {.read_units = 2, .write_units = 2};
  auto before = table_of(BillingMode::kPayPerRequest);
  before.on_demand = {.read_units = 5, .write_units = 5};
  before.indexes[0].on_demand = before.on_demand;
  const auto table = changed(before, request);
  EXPECT_EQ(table.billing, BillingMode::kProvisioned);
  EXPECT_EQ(table.throughput.read_units, 1);
  EXPECT_EQ(table.indexes[0].throughput.read_units, 2);
  EXPECT_EQ(table.on_demand, ThroughputLimits{});
  EXPECT_EQ(table.indexes[0].on_demand, ThroughputLimits{});
  EXPECT_EQ(table.warm.read_units, 12'000);
}

TEST(TableRedefinition, new_index_is_creating_and_backfilling) {
  const auto table = changed(table_of(BillingMode::kPayPerRequest), index_creation("new", {"y", ValueType::kNumber}));
  EXPECT_EQ(table.status, Status::kUpdating);
  ASSERT_EQ(table.indexes.size(), 2u);
  EXPECT_EQ(table.indexes[1].name, "new");
  EXPECT_EQ(table.indexes[1].status, Status::kCreating);
  EXPECT_TRUE(table.indexes[1].backfilling);
  EXPECT_EQ(table.indexes[1].key.hash, (std::vector<KeyAttribute>{{"y", ValueType::kNumber}}));
  EXPECT_EQ(table.indexes[1].keyspace, 0u);
  ASSERT_EQ(table.attributes.size(), 3u);
  EXPECT_EQ(table.attributes[2].name, "y");
}

TEST(TableRedefinition, definitions_that_no_key_needs_are_ignored) {
  auto request = index_creation("new", {"y", ValueType::kNumber});
  request.attribute_definitions->push_back({"z", ValueType::kString});
  EXPECT_EQ(changed(table_of(BillingMode::kPayPerRequest), request).attributes.size(), 3u);
}

TEST(TableRedefinition, index_that_exists_is_not_created) {
  EXPECT_EQ(
      redefinition_refusal(table_of(BillingMode::kPayPerRequest), index_creation("idx", {"y", ValueType::kNumber}))
          .message,
      "Attempting to create an index which already exists");
}

TEST(TableRedefinition, request_defines_every_attribute_of_a_new_key) {
  auto request = index_creation("new", {"x", ValueType::kString});
  request.attribute_definitions.reset();
  EXPECT_EQ(redefinition_refusal(table_of(BillingMode::kPayPerRequest), request).message,
            "One or more parameter values were invalid: AttributeDefinitions is not specified for index: new");
  request.attribute_definitions = {{"y", ValueType::kString}};
  EXPECT_EQ(redefinition_refusal(table_of(BillingMode::kPayPerRequest), request).message,
            "One or more parameter values were invalid: Some index key attributes are not defined in "
            "AttributeDefinitions. Keys: [x], AttributeDefinitions: [y]");
}

TEST(TableRedefinition, projection_of_a_new_index_is_checked_without_the_table) {
  auto request = index_creation("new", {"y", ValueType::kNumber});
  request.index_updates->front().index.projection_type = ProjectionType::kInclude;
  EXPECT_EQ(
      check_table_update(request).error().message,
      "One or more parameter values were invalid: ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
}

TEST(TableRedefinition, attribute_keeps_its_type) {
  EXPECT_EQ(
      redefinition_refusal(table_of(BillingMode::kPayPerRequest), index_creation("new", {"x", ValueType::kNumber}))
          .message,
      "One or more parameter values were invalid: Attributes cannot be redefined. Please check that your attribute "
      "has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{x:S:HASH}] New schema: "
      "Schema:[SchemaElement: key{x:N:HASH}]");
}

TEST(TableRedefinition, new_index_has_units_when_the_table_has) {
  auto request = index_creation("new", {"y", ValueType::kNumber});
  EXPECT_EQ(
      redefinition_refusal(table_of(BillingMode::kProvisioned), request).message,
      "One or more parameter values were invalid: Both ReadCapacityUnits and WriteCapacityUnits must be specified "
      "for index: new");
  request.index_updates->front().index.throughput = {.read_units = 1, .write_units = 1};
  EXPECT_EQ(changed(table_of(BillingMode::kProvisioned), request).indexes[1].throughput.read_units, 1);
  EXPECT_EQ(redefinition_refusal(table_of(BillingMode::kPayPerRequest), request).message,
            "One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be "
            "specified for index: new when BillingMode is PAY_PER_REQUEST");
}

TEST(TableRedefinition, one_index_is_created_or_deleted_at_a_time) {
  const std::string message =
      "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table";
  auto two = index_creation("new", {"y", ValueType::kNumber});
  two.index_updates->push_back(index_update(IndexUpdate::Kind::kDelete, "idx").index_updates->front());
  EXPECT_EQ(redefinition_refusal(table_of(BillingMode::kPayPerRequest), two).message, message);
  EXPECT_EQ(redefinition_refusal(table_of(BillingMode::kPayPerRequest), two).code, ErrorCode::kLimitExceeded);

  auto filling = table_of(BillingMode::kPayPerRequest);
  filling.indexes[0].status = Status::kCreating;
  EXPECT_EQ(redefinition_refusal(filling, index_creation("new", {"y", ValueType::kNumber})).message, message);
}

TEST(TableRedefinition, creation_of_an_index_can_be_cancelled) {
  auto filling = table_of(BillingMode::kPayPerRequest);
  filling.indexes[0].status = Status::kCreating;
  filling.indexes[0].backfilling = true;
  const auto table = changed(filling, index_update(IndexUpdate::Kind::kDelete, "idx"));
  EXPECT_EQ(table.indexes[0].status, Status::kDeleting);
  EXPECT_FALSE(table.indexes[0].backfilling);
}

TEST(TableRedefinition, twenty_first_global_index_is_rejected) {
  auto table = table_of(BillingMode::kPayPerRequest);
  for (int i = 1; i < 20; ++i) {
    table.indexes.push_back(table.indexes[0]);
    table.indexes.back().name += std::to_string(i);
  }
  const auto error = redefinition_refusal(table, index_creation("new", {"y", ValueType::kNumber}));
  EXPECT_EQ(error.code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(error.message,
            "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 20");
}

TEST(TableRedefinition, index_being_deleted_cannot_be_changed) {
  auto table = table_of(BillingMode::kPayPerRequest);
  table.indexes[0].status = Status::kDeleting;
  for (const auto& request :
       {index_update(IndexUpdate::Kind::kDelete, "idx"), index_creation("idx", {"y", ValueType::kNumber})}) {
    EXPECT_EQ(redefinition_refusal(table, request).code, ErrorCode::kResourceInUse);
    EXPECT_EQ(redefinition_refusal(table, request).message,
              "Attempt to change a resource which is still in use: Index is being deleted. Table: abc Index: idx");
  }
}

TEST(TableRedefinition, local_index_cannot_be_changed) {
  auto table = table_of(BillingMode::kPayPerRequest);
  table.indexes[0].global = false;
  EXPECT_EQ(redefinition_refusal(table, index_update(IndexUpdate::Kind::kDelete, "idx")).message,
            "Cannot delete an index that is not a GlobalSecondaryIndex: idx");
  EXPECT_EQ(redefinition_refusal(table, index_update(IndexUpdate::Kind::kUpdate, "idx")).message,
            "Cannot update an index that is not a GlobalSecondaryIndex: idx");
}

TEST(TableRedefinition, deleted_index_is_deleting_and_its_definition_goes_with_it) {
  auto table = changed(table_of(BillingMode::kPayPerRequest), index_update(IndexUpdate::Kind::kDelete, "idx"));
  ASSERT_EQ(table.indexes.size(), 1u);
  EXPECT_EQ(table.indexes[0].status, Status::kDeleting);
  EXPECT_EQ(table.attributes.size(), 2u);
  table.indexes.clear();
  drop_unused_definitions(table);
  EXPECT_EQ(table.attributes, (std::vector<KeyAttribute>{{"p", ValueType::kString}}));
}

TEST(TableRedefinition, unknown_index_is_not_found) {
  for (const auto kind : {IndexUpdate::Kind::kDelete, IndexUpdate::Kind::kUpdate}) {
    const auto error = redefinition_refusal(table_of(BillingMode::kPayPerRequest), index_update(kind, "nope"));
    EXPECT_EQ(error.code, ErrorCode::kResourceNotFound);
    EXPECT_EQ(error.message, "Requested resource not found: Index nope for table abc");
  }
}

TEST(TableRedefinition, units_of_an_index_change) {
  auto request = index_update(IndexUpdate::Kind::kUpdate, "idx");
  auto& units = request.index_updates->front().index.throughput;
  units = {.read_units = 5, .write_units = 5};
  EXPECT_EQ(
      redefinition_refusal(table_of(BillingMode::kProvisioned), request).message,
      "The provisioned throughput for the index idx will not change. The requested value equals the current value. "
      "Current ReadCapacityUnits provisioned for index idx: 5. Requested ReadCapacityUnits: 5. Current "
      "WriteCapacityUnits provisioned for index idx: 5. Requested WriteCapacityUnits: 5. Refer to the Amazon "
      "DynamoDB Developer Guide for current limits and how to request higher limits.");
  units = {.read_units = 1'000'000'000'001, .write_units = 5};
  EXPECT_EQ(redefinition_refusal(table_of(BillingMode::kProvisioned), request).message,
            "This operation cannot be performed with given input values. Please contact DynamoDB service team for more "
            "info: Action Blocked: IndexUpdate");
  units = {.read_units = 6, .write_units = 5};
  const auto table = changed(table_of(BillingMode::kProvisioned), request);
  EXPECT_EQ(table.indexes[0].throughput.read_units, 6);
  EXPECT_EQ(table.indexes[0].warm, (ThroughputLimits{.read_units = 6, .write_units = 5}));
  EXPECT_EQ(table.indexes[0].status, Status::kUpdating);
  EXPECT_EQ(table.status, Status::kActive);
}

TEST(TableRedefinition, index_without_units_can_change_only_its_limits) {
  auto request = index_update(IndexUpdate::Kind::kUpdate, "idx");
  const auto table = table_of(BillingMode::kPayPerRequest);
  const std::string message =
      "One or more parameter values were invalid: The only Updates for index: idx when TableThroughputMode is "
      "PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput";
  EXPECT_EQ(redefinition_refusal(table, request).message, message);
  auto& index = request.index_updates->front().index;
  index.throughput = {.read_units = 1, .write_units = 1};
  EXPECT_EQ(redefinition_refusal(table, request).message, message);
  index.throughput.reset();
  index.warm = ThroughputLimits{};
  EXPECT_EQ(redefinition_refusal(table, request).message,
            "One or more parameter values were invalid: WarmThroughput must have at least one of ReadUnitsPerSecond or "
            "WriteUnitsPerSecond specified for index: idx");
  index.warm = {.read_units = 1, .write_units = std::nullopt};
  EXPECT_EQ(
      redefinition_refusal(table, request).message,
      "One or more parameter values were invalid: Requested ReadUnitsPerSecond for WarmThroughput for index idx is "
      "lower than current WarmThroughput, decreasing WarmThroughput is not supported");
  index.warm.reset();
  index.on_demand = {.read_units = -1, .write_units = 10};
  EXPECT_EQ(changed(table, request).indexes[0].on_demand,
            (ThroughputLimits{.read_units = std::nullopt, .write_units = 10}));
}

TEST(TableRedefinition, stream_is_enabled_once_and_disabled_once) {
  UpdateTableRequest enable;
  enable.stream = {.enabled = true, .view_type = StreamViewType::kOldImage};
  UpdateTableRequest disable;
  disable.stream = {.enabled = false, .view_type = std::nullopt};
  const auto plain = table_of(BillingMode::kPayPerRequest);
  EXPECT_EQ(redefinition_refusal(plain, disable).message, "Table has no stream to disable: TableName: abc");
  auto streaming = changed(plain, enable);
  EXPECT_EQ(streaming.stream, StreamViewType::kOldImage);
  EXPECT_FALSE(streaming.stream_label.empty());
  streaming.status = Status::kActive;
  EXPECT_EQ(redefinition_refusal(streaming, enable).message, "Table already has an enabled stream: TableName: abc");
  const auto stopped = changed(streaming, disable);
  EXPECT_EQ(stopped.stream, std::nullopt);
  EXPECT_EQ(stopped.stream_label, streaming.stream_label);
  enable.stream->view_type.reset();
  EXPECT_EQ(redefinition_refusal(plain, enable).message,
            "One or more parameter values were invalid: If stream is being enabled then UpdateViewType is required");
  disable.stream->view_type = StreamViewType::kKeysOnly;
  EXPECT_EQ(redefinition_refusal(streaming, disable).message,
            "One or more parameter values were invalid: If stream is being disabled, then UpdateViewType must not be "
            "specified");
}

TEST(TableRedefinition, other_settings_change) {
  auto table = table_of(BillingMode::kPayPerRequest);
  table = changed(table, {.deletion_protection = true});
  table = changed(table, {.table_class = TableClass::kStandardInfrequentAccess});
  table = changed(table, {.on_demand = ThroughputLimits{.read_units = 20, .write_units = std::nullopt}});
  table = changed(table, {.warm = ThroughputLimits{.read_units = 20'000, .write_units = std::nullopt}});
  table = changed(table, {.sse = SseSpecification{.enabled = true, .type = "KMS", .key_id = ""}});
  EXPECT_EQ(table.status, Status::kActive);
  EXPECT_TRUE(table.deletion_protection);
  EXPECT_EQ(table.table_class, TableClass::kStandardInfrequentAccess);
  EXPECT_EQ(table.table_class_changed_ms, kRedefinitionContext.now_ms);
  EXPECT_EQ(table.on_demand.read_units, 20);
  EXPECT_EQ(table.warm, (ThroughputLimits{.read_units = 20'000, .write_units = 4'000}));
  EXPECT_EQ(table.sse.enabled, true);
}

TEST(TableRedefinition, encryption_that_does_not_change_is_rejected) {
  auto table = table_of(BillingMode::kPayPerRequest);
  EXPECT_EQ(redefinition_refusal(table, {.sse = SseSpecification{.enabled = false, .type = "", .key_id = ""}}).message,
            "One or more parameter values were invalid: Table is already encrypted by default");
  const UpdateTableRequest enable{.sse = SseSpecification{.enabled = true, .type = "KMS", .key_id = "k"}};
  table = changed(table, enable);
  EXPECT_EQ(redefinition_refusal(table, enable).message,
            "One or more parameter values were invalid: Table is already encrypted with given KMSMasterKeyId. Use "
            "KMSMasterKeyId parameter if you want to change Master Key");
}

TEST(TableRedefinition, on_demand_limit_needs_an_on_demand_table) {
  EXPECT_EQ(redefinition_refusal(table_of(BillingMode::kProvisioned),
                                 {.on_demand = ThroughputLimits{.read_units = 20, .write_units = 20}})
                .message,
            "One or more parameter values were invalid: MaxReadRequestUnits for OnDemandThroughput cannot be specified "
            "when the table BillingMode is PROVISIONED");
}

TEST(TableRedefinition, warm_throughput_never_shrinks) {
  UpdateTableRequest request;
  request.warm = {.read_units = 11'000, .write_units = std::nullopt};
  EXPECT_EQ(redefinition_refusal(table_of(BillingMode::kPayPerRequest), request).message,
            "One or more parameter values were invalid: Requested ReadUnitsPerSecond for WarmThroughput for table is "
            "lower than current WarmThroughput, decreasing WarmThroughput is not supported");
}

}  // namespace
}  // namespace trestle
