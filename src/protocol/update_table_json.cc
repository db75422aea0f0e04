#include "protocol/update_table_json.h"

#include <fmt/format.h>

#include "protocol/table_description_json.h"
#include "protocol/table_members.h"
#include "protocol/vector_members.h"

namespace trestle {
namespace {

// One element of GlobalSecondaryIndexUpdates.
struct GivenIndexUpdate {
  std::optional<GivenIndex> update;
  std::optional<GivenIndex> create;
  std::optional<GivenIndex> remove;
};

struct GivenUpdateTable {
  std::optional<std::string_view> table_name;
  std::optional<GivenAttributeDefinitions> attribute_definitions;
  std::optional<std::string_view> billing_mode;
  std::optional<GivenThroughput> throughput;
  std::optional<std::vector<GivenIndexUpdate>> index_updates;
  std::optional<std::vector<GivenVectorIndexUpdate>> vector_index_updates;
  std::optional<GivenStream> stream;
  std::optional<GivenSse> sse;
  std::optional<std::string_view> table_class;
};

Result<std::vector<GivenIndexUpdate>> read_index_updates(JsonElement json) {
  TRY_INTO(const JsonArray array, json_list(json));
  std::vector<GivenIndexUpdate> updates;
  for (const JsonElement element : array) {
    if (element.is_null()) continue;
    TRY_INTO(const JsonInput input, json_structure(element, "GlobalSecondaryIndexUpdate", JsonPlace::kElement));
    auto& given = updates.emplace_back();
    for (const JsonMember member : input) {
      if (member.name == "Update") {
        TRY_INTO(given.update, read_index(member.value, "UpdateGlobalSecondaryIndexAction", JsonPlace::kMember));
      } else if (member.name == "Create") {
        TRY_INTO(given.create, read_index(member.value, "CreateGlobalSecondaryIndexAction", JsonPlace::kMember));
      } else if (member.name == "Delete") {
        TRY_INTO(given.remove, read_index(member.value, "DeleteGlobalSecondaryIndexAction", JsonPlace::kMember));
      }
    }
  }
  return updates;
}

Result<GivenUpdateTable> read_update_table_members(JsonInput input, UpdateTableRequest& request) {
  GivenUpdateTable given;
  for (const JsonMember member : input) {
    if (member.name == "TableName") {
      TRY_INTO(given.table_name, json_string(member.value));
    } else if (member.name == "AttributeDefinitions") {
      TRY_INTO(given.attribute_definitions, read_attribute_definitions(member.value));
    } else if (member.name == "BillingMode") {
      TRY_INTO(given.billing_mode, json_string(member.value));
    } else if (member.name == "ProvisionedThroughput") {
      TRY_INTO(given.throughput, read_throughput(member.value));
    } else if (member.name == "GlobalSecondaryIndexUpdates") {
      TRY_INTO(given.index_updates, read_index_updates(member.value));
    } else if (member.name == "VectorIndexUpdates") {
      TRY_INTO(given.vector_index_updates, read_vector_index_updates(member.value));
    } else if (member.name == "StreamSpecification") {
      TRY_INTO(given.stream, read_stream(member.value));
    } else if (member.name == "SSESpecification") {
      TRY_INTO(given.sse, read_sse(member.value));
    } else if (member.name == "TableClass") {
      TRY_INTO(given.table_class, json_string(member.value));
    } else if (member.name == "DeletionProtectionEnabled") {
      TRY_INTO(request.deletion_protection, json_boolean(member.value));
    } else if (member.name == "OnDemandThroughput") {
      TRY_INTO(request.on_demand, read_on_demand(member.value));
    } else if (member.name == "WarmThroughput") {
      TRY_INTO(request.warm, read_warm(member.value));
    } else if (member.name == "ReplicaUpdates") {
      TRY_INTO(const JsonArray replicas, json_list(member.value));
      request.replica_updates = replicas.size() > 0;
    }
  }
  return given;
}

void constrain_index_updates(const std::vector<GivenIndexUpdate>& given, Constraints& constraints,
                             std::vector<IndexUpdate>& out) {
  const MemberPath list{"globalSecondaryIndexUpdates"};
  for (size_t i = 0; i < given.size(); ++i) {
    const MemberPath element{&list, "member", i + 1};
    if (given[i].update) {
      const MemberPath action{&element, "update"};
      auto& added = out.emplace_back(IndexUpdate{.kind = IndexUpdate::Kind::kUpdate, .index = {}});
      constrain_index_name(given[i].update->index_name, action, constraints, added.index);
      constrain_throughput(given[i].update->throughput, {&action, "provisionedThroughput"}, constraints,
                           added.index.throughput);
      added.index.on_demand = given[i].update->on_demand;
      added.index.warm = given[i].update->warm;
    }
    if (given[i].create) {
      auto& added = out.emplace_back(IndexUpdate{.kind = IndexUpdate::Kind::kCreate, .index = {}});
      constrain_index(*given[i].create, {&element, "create"}, true, constraints, added.index);
    }
    if (given[i].remove) {
      auto& added = out.emplace_back(IndexUpdate{.kind = IndexUpdate::Kind::kDelete, .index = {}});
      constrain_index_name(given[i].remove->index_name, {&element, "delete"}, constraints, added.index);
    }
  }
}

// Each element is one action; the engine's request has no way to say anything else.
Result<void> check_one_action_each(const std::optional<std::vector<GivenIndexUpdate>>& updates) {
  if (!updates) return {};
  for (const auto& given : *updates) {
    const int actions = given.update.has_value() + given.create.has_value() + given.remove.has_value();
    if (actions == 1) continue;
    return invalid(fmt::format(
        "One or more parameter values were invalid: {}",
        actions == 0 ? "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                       "GlobalSecondaryIndexUpdate.Delete must not be null"
                     : "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object"));
  }
  return {};
}

}  // namespace

Result<UpdateTableRequest> read_update_table_json(JsonInput input) {
  UpdateTableRequest request;
  TRY_INTO(const GivenUpdateTable given, read_update_table_members(input, request));
  TRY(require_table_name(given.table_name));

  Constraints constraints;
  if (given.attribute_definitions) {
    constrain_attribute_definitions(*given.attribute_definitions, "attributeDefinitions", constraints,
                                    request.attribute_definitions.emplace());
  }
  constrain_table_name(given.table_name, constraints);
  constrain_throughput(given.throughput, "provisionedThroughput", constraints, request.throughput);
  constrain_billing_mode(given.billing_mode, constraints, request.billing_mode);
  if (given.index_updates) {
    constrain_index_updates(*given.index_updates, constraints, request.index_updates.emplace());
  }
  if (given.vector_index_updates) {
    constrain_vector_index_updates(*given.vector_index_updates, constraints, request.vector_index_updates.emplace());
  }
  constrain_stream(given.stream, constraints, request.stream);
  constrain_sse(given.sse, constraints, request.sse);
  TRY(constraints.check());
  TRY(refuse_replication(input));
  TRY_INTO(request.table_class, define_table_class(given.table_class));
  TRY(check_one_action_each(given.index_updates));
  if (given.vector_index_updates) TRY(check_one_action_each(*given.vector_index_updates));

  request.table_name = *given.table_name;
  return request;
}

void write_update_table_json(const UpdateTableResponse& response, std::string& out) {
  write_table_response("TableDescription", response.table, out);
}

}  // namespace trestle
