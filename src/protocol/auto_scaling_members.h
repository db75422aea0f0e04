// What the two families of operations on replicas share: settings of auto scaling, deep inside their requests, and
// lists of replicas in their answers. The settings are checked as the API's model says and then dropped: a table here
// has no replicas whose scaling they could change.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "protocol/constraints.h"
#include "protocol/json_input.h"
#include "protocol/json_output.h"

namespace trestle {

// AutoScalingSettingsUpdate, with what constraints are about.
struct GivenAutoScaling {
  struct Policy {
    std::optional<std::string_view> name;
    bool has_configuration = false;
    bool has_target_value = false;
  };
  std::optional<int64_t> minimum_units;
  std::optional<int64_t> maximum_units;
  std::optional<std::string_view> role_arn;
  std::optional<Policy> policy;
};

Result<GivenAutoScaling> read_auto_scaling(JsonElement json);
void constrain_auto_scaling(const std::optional<GivenAutoScaling>& given, const MemberPath& member,
                            Constraints& constraints);

// An element of the lists of updates: of a replica (by RegionName), of an index, or of a replica's index.
struct GivenScalingUpdate {
  std::optional<std::string_view> name;  // RegionName or IndexName
  std::optional<int64_t> units;
  std::optional<std::string_view> table_class;
  std::optional<GivenAutoScaling> scaling;
  std::optional<std::vector<GivenScalingUpdate>> indexes;
};

// How a list of them is spelt and what it may hold.
struct ScalingUpdateShape {
  std::string_view type;          // of an element
  std::string_view name;          // "RegionName" or "IndexName"
  std::string_view units = {};    // the member with units; empty: none
  std::string_view scaling = {};  // the member with settings of auto scaling
  std::string_view indexes = {};  // the member with the list of indexes; empty: none
  const ScalingUpdateShape* of_indexes = nullptr;
  bool name_required = true;
  size_t count_min = 1;
  size_t count_max = SIZE_MAX;
};

Result<std::vector<GivenScalingUpdate>> read_scaling_updates(JsonElement json, const ScalingUpdateShape& shape);
void constrain_scaling_updates(const std::optional<std::vector<GivenScalingUpdate>>& given, const MemberPath& member,
                               const ScalingUpdateShape& shape, Constraints& constraints);

// A list of replicas, each told by its region and status.
template <class Replica>
void write_replicas(std::string_view name, const std::vector<Replica>& replicas, JsonOutput& json) {
  json.key(name).begin_array();
  for (const Replica& replica : replicas) {
    json.begin_object();
    json.member("RegionName", replica.region);
    json.member("ReplicaStatus", replica.status);
    json.end_object();
  }
  json.end_array();
}

}  // namespace trestle
