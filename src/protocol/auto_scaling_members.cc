#include "protocol/auto_scaling_members.h"

#include "protocol/table_enumerations.h"
#include "protocol/table_members.h"

namespace trestle {
namespace {

// "ReplicaUpdates" as constraints name it.
std::string member_name(std::string_view name) {
  std::string out(name);
  if (!out.empty() && out[0] >= 'A' && out[0] <= 'Z') out[0] = static_cast<char>(out[0] - 'A' + 'a');
  return out;
}

Result<GivenAutoScaling::Policy> read_policy(JsonElement json) {
  TRY_INTO(const JsonInput input, json_structure(json, "AutoScalingPolicyUpdate", JsonPlace::kMember));
  GivenAutoScaling::Policy policy;
  for (const JsonMember member : input) {
    if (member.name == "PolicyName") {
      TRY_INTO(policy.name, json_string(member.value));
    } else if (member.name == "TargetTrackingScalingPolicyConfiguration") {
      TRY_INTO(const JsonInput configuration,
               json_structure(member.value, "AutoScalingTargetTrackingScalingPolicyConfigurationUpdate",
                              JsonPlace::kMember));
      policy.has_configuration = true;
      for (const JsonMember setting : configuration) {
        if (setting.name == "TargetValue") policy.has_target_value = true;
        if (setting.name == "DisableScaleIn") TRY(json_boolean(setting.value));
        if (setting.name == "ScaleInCooldown" || setting.name == "ScaleOutCooldown") {
          TRY(json_integer(setting.value, "Integer"));
        }
      }
    }
  }
  return policy;
}

std::string shown_count(size_t count) { return std::to_string(count) + " elements"; }

}  // namespace

Result<GivenAutoScaling> read_auto_scaling(JsonElement json) {
  TRY_INTO(const JsonInput input, json_structure(json, "AutoScalingSettingsUpdate", JsonPlace::kMember));
  GivenAutoScaling given;
  for (const JsonMember member : input) {
    if (member.name == "MinimumUnits") {
      TRY_INTO(given.minimum_units, json_integer(member.value, "Long"));
    } else if (member.name == "MaximumUnits") {
      TRY_INTO(given.maximum_units, json_integer(member.value, "Long"));
    } else if (member.name == "AutoScalingDisabled") {
      TRY(json_boolean(member.value));
    } else if (member.name == "AutoScalingRoleArn") {
      TRY_INTO(given.role_arn, json_string(member.value));
    } else if (member.name == "ScalingPolicyUpdate") {
      TRY_INTO(given.policy, read_policy(member.value));
    }
  }
  return given;
}

void constrain_auto_scaling(const std::optional<GivenAutoScaling>& given, const MemberPath& member,
                            Constraints& constraints) {
  if (!given) return;
  constraints.value_at_least(given->minimum_units, {&member, "minimumUnits"}, 1);
  constraints.value_at_least(given->maximum_units, {&member, "maximumUnits"}, 1);
  const MemberPath role{&member, "autoScalingRoleArn"};
  constraints.length_at_least(given->role_arn, role, 1);
  constraints.length_at_most(given->role_arn, role, 1600);
  if (!given->policy) return;
  const MemberPath policy{&member, "scalingPolicyUpdate"};
  const MemberPath name{&policy, "policyName"};
  constraints.length_at_least(given->policy->name, name, 1);
  constraints.length_at_most(given->policy->name, name, 256);
  const MemberPath configuration{&policy, "targetTrackingScalingPolicyConfiguration"};
  constraints.not_null(given->policy->has_configuration, configuration);
  if (given->policy->has_configuration) {
    constraints.not_null(given->policy->has_target_value, {&configuration, "targetValue"});
  }
}

Result<std::vector<GivenScalingUpdate>> read_scaling_updates(JsonElement json, const ScalingUpdateShape& shape) {
  TRY_INTO(const JsonArray array, json_list(json));
  std::vector<GivenScalingUpdate> updates;
  for (const JsonElement element : array) {
    if (element.is_null()) continue;
    TRY_INTO(const JsonInput input, json_structure(element, shape.type, JsonPlace::kElement));
    GivenScalingUpdate& update = updates.emplace_back();
    for (const JsonMember member : input) {
      if (member.name == shape.name) {
        TRY_INTO(update.name, json_string(member.value));
      } else if (!shape.units.empty() && member.name == shape.units) {
        TRY_INTO(update.units, json_integer(member.value, "Long"));
      } else if (member.name == shape.scaling) {
        TRY_INTO(update.scaling, read_auto_scaling(member.value));
      } else if (shape.of_indexes != nullptr && member.name == shape.indexes) {
        TRY_INTO(update.indexes, read_scaling_updates(member.value, *shape.of_indexes));
      } else if (member.name == "ReplicaTableClass") {
        TRY_INTO(update.table_class, json_string(member.value));
      }
    }
  }
  return updates;
}

void constrain_scaling_updates(const std::optional<std::vector<GivenScalingUpdate>>& given, const MemberPath& member,
                               const ScalingUpdateShape& shape, Constraints& constraints) {
  if (!given) return;
  const auto shown = [&] { return given->empty() ? std::string("[]") : shown_count(given->size()); };
  constraints.count_at_least(given->size(), member, shape.count_min, shown);
  constraints.count_at_most(given->size(), member, shape.count_max, shown);
  for (size_t i = 0; i < given->size(); ++i) {
    const GivenScalingUpdate& update = (*given)[i];
    const MemberPath element{&member, "member", i + 1};
    const std::string name = member_name(shape.name);
    const std::string units = member_name(shape.units);
    const std::string scaling = member_name(shape.scaling);
    const std::string indexes = member_name(shape.indexes);
    if (shape.name_required) constraints.not_null(update.name.has_value(), {&element, name});
    if (shape.name == "IndexName") constraints.index_name(update.name, {&element, name});
    constraints.value_at_least(update.units, {&element, units}, 1);
    constrain_auto_scaling(update.scaling, {&element, scaling}, constraints);
    TableClass table_class = TableClass::kStandard;
    constraints.one_of(update.table_class, {&element, "replicaTableClass"}, kTableClasses, table_class);
    if (shape.of_indexes != nullptr) {
      constrain_scaling_updates(update.indexes, {&element, indexes}, *shape.of_indexes, constraints);
    }
  }
}

}  // namespace trestle
