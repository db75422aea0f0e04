// Checks that rules cannot express, for requests read by their shapes (protocol/shapes/by_hand.h).
#include <fmt/format.h>

#include "model/limits.h"
#include "model/shapes/table_enumerations.h"
#include "protocol/shapes/by_hand.h"
#include "protocol/shapes/shape_constraints.h"
#include "protocol/validation/constraints.h"
#include "protocol/validation/policy_members.h"

namespace trestle {
namespace {

// Rejects the members of CreateTable and UpdateTable about replicas in other regions and accounts, because a table is
// stored in one place.
Result<void> refuse_replication(JsonInput input) {
  for (const std::string_view refused :
       {"GlobalTableSourceArn", "GlobalTableSettingsReplicationMode", "GlobalTableWitnessUpdates",
        "MultiRegionConsistency", "DisassociationProtectionEnabled"}) {
    if (!find_member(input, refused)) continue;
    return replication_refused(refused);
  }
  return {};
}

Result<void> check_table_class(JsonInput input, const std::optional<TableClass>& table_class) {
  if (table_class || !find_member(input, "TableClass")) return {};
  return invalid(
      "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, "
      "STANDARD_INFREQUENT_ACCESS].");
}

Result<void> check_tags(JsonInput input) {
  const std::optional<JsonElement> tags = find_member(input, "Tags");
  if (!tags) return {};
  const JsonArray array = tags->get_array().value_unsafe();
  for (const JsonElement element : array) {
    if (element.is_null()) continue;
    const JsonInput tag(element.get_object().value_unsafe());
    if (!find_member(tag, "Key")) return invalid("The Tag Key provided is invalid, Key: null");
    if (!find_member(tag, "Value")) return invalid("The Tag Value provided is invalid, Value: null");
  }
  return {};
}

// Checks that each element of a list of index updates has exactly one action, because the model cannot represent
// anything else.
Result<void> check_one_action_each(JsonInput input, std::string_view member,
                                   std::initializer_list<std::string_view> actions, std::string_view none,
                                   std::string_view several) {
  const std::optional<JsonElement> updates = find_member(input, member);
  if (!updates) return {};
  const JsonArray array = updates->get_array().value_unsafe();
  for (const JsonElement element : array) {
    if (element.is_null()) continue;
    int number = 0;
    for (const std::string_view action : actions) {
      if (find_member(JsonInput(element.get_object().value_unsafe()), action)) ++number;
    }
    if (number != 1) return invalid_parameter(number == 0 ? none : several);
  }
  return {};
}

}  // namespace

// A name of the wrong length is reported alone; one with invalid characters is reported with the other violations.
Result<void> check_first(JsonInput, const CreateTableRequest& request) {
  Constraints constraints;
  constraints.length_at_least(request.table_name, "tableName", kNameLengthMin);
  constraints.length_at_most(request.table_name, "tableName", kNameLengthMax);
  if (constraints.any()) constraints.name_pattern(request.table_name, "tableName");
  return constraints.check();
}

Result<void> check_last(JsonInput input, CreateTableRequest& request) {
  TRY(refuse_replication(input));
  TRY(check_table_class(input, request.table_class));
  TRY(check_tags(input));
  if (request.resource_policy) {
    TRY_INTO(request.resource_policy, read_resource_policy(*request.resource_policy, request.table_name));
  }
  return {};
}

Result<void> check_last(JsonInput input, UpdateTableRequest& request) {
  TRY(refuse_replication(input));
  TRY(check_table_class(input, request.table_class));
  TRY(check_one_action_each(input, "GlobalSecondaryIndexUpdates", {"Update", "Create", "Delete"},
                            "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                            "GlobalSecondaryIndexUpdate.Delete must not be null",
                            "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object"));
  TRY(check_one_action_each(input, "VectorIndexUpdates", {"Create", "Delete"},
                            "One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null",
                            "Only one vector index action is allowed per VectorIndexUpdate object"));
  const std::optional<JsonElement> replicas = find_member(input, "ReplicaUpdates");
  request.replica_updates = replicas && replicas->get_array().value_unsafe().size() > 0;
  return {};
}

Result<void> check_last(JsonInput input, TagResourceRequest&) { return check_tags(input); }

Result<void> check_last(JsonInput, RestoreTableToPointInTimeRequest& request) {
  if (request.source_table_arn && request.source_table_name) {
    return invalid("Must provide exactly one of: sourceTableArn, sourceTableName");
  }
  if (!request.source_table_arn && !request.source_table_name) {
    return invalid(std::string(ShapeRules::table_name_needed.refusal));
  }
  return {};
}

Result<void> check_last(JsonInput, ListStreamsRequest& request) {
  if (request.limit.value_or(0) <= kStreamListMax) return {};
  return invalid_parameter(fmt::format("Limit cannot be greater than the maximum allowed size: {}", kStreamListMax));
}

Result<void> check_last(JsonInput, DescribeStreamRequest& request) {
  if (request.limit.value_or(0) <= kStreamListMax) return {};
  return invalid_parameter(fmt::format("Limit cannot be greater than the maximum: {}", kStreamListMax));
}

Result<void> check_last(JsonInput, GetShardIteratorRequest& request) {
  const bool needs_number =
      request.type == ShardIteratorType::kAtSequenceNumber || request.type == ShardIteratorType::kAfterSequenceNumber;
  if (needs_number == request.sequence_number.has_value()) return {};
  return invalid_parameter(fmt::format("SequenceNumber is {} for ShardIteratorType: {}",
                                       needs_number ? "required" : "not allowed",
                                       choice_name(kShardIteratorTypes, request.type)));
}

Result<void> check_last(JsonInput, GetRecordsRequest& request) {
  if (request.limit.value_or(0) <= static_cast<int64_t>(kStreamRecordsMax)) return {};
  return invalid_parameter(fmt::format("Limit should be less than or equal to {}", kStreamRecordsMax));
}

Result<void> check_last(JsonInput, PutResourcePolicyRequest& request) {
  TRY_INTO(request.policy, read_resource_policy(request.policy, request.resource_arn));
  return {};
}

}  // namespace trestle
