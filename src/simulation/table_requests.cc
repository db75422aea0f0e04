// Random changes of tables, their indexes and their settings.
#include <fmt/format.h>

#include "simulation/request_parts.h"

namespace trestle {

SimulatedRequest RequestSource::create_table() {
  CreateTableRequest request = plain_table(any_table());
  ModelTable table;
  table.local_index = one_in(2);
  table.global_index = one_in(2);
  table.vector_index = one_in(3);
  table.stream = one_in(2);
  if (table.local_index) {
    request.attribute_definitions.push_back({"l", ValueType::kNumber});
    request.local_indexes = std::vector<IndexDefinition>{
        {.index_name = "by-l",
         .key_schema = {{.attribute_name = "p"}, {.attribute_name = "l", .is_range = true}},
         .projection_type = ProjectionType::kAll}};
  }
  if (table.global_index) {
    request.attribute_definitions.push_back({"g", ValueType::kString});
    request.global_indexes = std::vector<IndexDefinition>{global_index()};
  }
  if (table.vector_index) request.vector_indexes = std::vector<VectorIndexDefinition>{vector_index()};
  if (table.stream) {
    request.stream = StreamSpecification{.enabled = true, .view_type = StreamViewType::kNewAndOldImages};
  }
  return {.text = fmt::format("CreateTable {}", request.table_name),
          .send = [request](Engine& engine) { return outcome_of(engine.create_table(request)); },
          .effect =
              [name = request.table_name, table](World& world) {
                if (world.find(name) != nullptr) return Expected::kRefusal;
                world.tables[name] = std::make_shared<ModelTable>(table);
                return Expected::kSuccess;
              }};
}

SimulatedRequest RequestSource::delete_table(const Worlds& worlds, int64_t now_ms) {
  const std::string name = any_table();
  if (is_bulk_pending(worlds, name)) return nothing();  // the contents of its final backup would be unknown
  return {.text = fmt::format("DeleteTable {}", name),
          .send = [name](Engine& engine) { return outcome_of(engine.delete_table({.table_name = name})); },
          .effect =
              [name, now_ms](World& world) {
                const ModelTable* table = world.find(name);
                if (table == nullptr || table->is_protected) return Expected::kRefusal;
                const bool may_be_refused = table->creating || table->changing;
                if (table->recovery_since_ms != 0) {
                  world.backups[fmt::format("{}$DeletedTableBackup@{}", name, now_ms)] = restored(*table, table->items);
                }
                world.tables.erase(name);
                return may_be_refused ? Expected::kEither : Expected::kSuccess;
              }};
}

SimulatedRequest RequestSource::change_global_index() {
  UpdateTableRequest request{.table_name = any_table()};
  const bool adds = one_in(2);
  IndexUpdate update{.kind = adds ? IndexUpdate::Kind::kCreate : IndexUpdate::Kind::kDelete, .index = {}};
  if (adds) {
    update.index = global_index();
    request.attribute_definitions = kKeyAttributes;
    request.attribute_definitions->push_back({"g", ValueType::kString});
  }
  update.index.index_name = "by-g";
  request.index_updates = std::vector<IndexUpdate>{update};
  return {.text = fmt::format("UpdateTable {} {} by-g", request.table_name, adds ? "adds" : "deletes"),
          .send =
              [request](Engine& engine) {
                // The definitions must also name the key of the local index, if there is one. Another client may
                // replace the table between the two requests.
                const auto has_local_index = [&] {
                  const auto table = engine.describe_table({.table_name = request.table_name});
                  return table.has_value() && table->table.index("by-l") != nullptr;
                };
                for (;;) {
                  UpdateTableRequest result = request;
                  const bool has = has_local_index();
                  if (result.attribute_definitions && has)
                    result.attribute_definitions->push_back({"l", ValueType::kNumber});
                  const Outcome outcome = outcome_of(engine.update_table(result));
                  if (outcome != Outcome::kRefusal || has == has_local_index()) return outcome;
                }
              },
          .effect = on_stable_table(request.table_name, [adds](ModelTable& table) {
            if (table.global_index == adds) return Expected::kRefusal;
            table.global_index = adds;
            table.changing = true;
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::change_vector_index() {
  UpdateTableRequest request{.table_name = any_table()};
  const bool adds = one_in(2);
  VectorIndexUpdate update{.is_delete = !adds, .index = {}};
  if (adds) update.index = vector_index();
  update.index.index_name = "near";
  request.vector_index_updates = std::vector<VectorIndexUpdate>{update};
  return {.text = fmt::format("UpdateTable {} {} near", request.table_name, adds ? "adds" : "deletes"),
          .send = [request](Engine& engine) { return outcome_of(engine.update_table(request)); },
          .effect = on_stable_table(request.table_name, [adds](ModelTable& table) {
            if (table.vector_index == adds) return Expected::kRefusal;
            table.vector_index = adds;
            table.changing = true;
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::change_stream(const Worlds& worlds) {
  UpdateTableRequest request{.table_name = any_table()};
  // It would be unknown which puts of the load the stream records.
  if (is_bulk_pending(worlds, request.table_name)) return nothing();
  const bool enables = one_in(2);
  request.stream = StreamSpecification{.enabled = enables};
  if (enables) request.stream->view_type = StreamViewType::kNewAndOldImages;
  return {.text = fmt::format("UpdateTable {} stream {}", request.table_name, enables ? "on" : "off"),
          .send = [request](Engine& engine) { return outcome_of(engine.update_table(request)); },
          .effect = on_stable_table(request.table_name, [enables](ModelTable& table) {
            if (table.stream == enables) return Expected::kRefusal;
            table.stream = enables;
            table.records.clear();
            table.old_records.clear();
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::change_protection() {
  UpdateTableRequest request{.table_name = any_table()};
  const bool protects = one_in(3);
  request.deletion_protection = protects;
  return {.text = fmt::format("UpdateTable {} protection {}", request.table_name, protects ? "on" : "off"),
          .send = [request](Engine& engine) { return outcome_of(engine.update_table(request)); },
          .effect = on_stable_table(request.table_name, [protects](ModelTable& table) {
            table.is_protected = protects;
            return Expected::kSuccess;
          })};
}

// The limits are so high that no request is throttled.
SimulatedRequest RequestSource::change_throughput() {
  UpdateTableRequest request{.table_name = any_table()};
  const int64_t units = one_in(4) ? -1 : 10'000 + ++version_;  // -1: no limit
  request.on_demand = ThroughputLimits{.read_units = units, .write_units = units};
  return {.text = fmt::format("UpdateTable {} at most {} units", request.table_name, units),
          .send = [request](Engine& engine) { return outcome_of(engine.update_table(request)); },
          .effect = on_stable_table(request.table_name, [units](ModelTable& table) {
            table.units_max = units == -1 ? 0 : units;
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::change_insights() {
  const UpdateContributorInsightsRequest request{
      .table_name = any_table(), .index_name = std::nullopt, .enable = !one_in(3), .mode = std::nullopt};
  return {.text = fmt::format("UpdateContributorInsights {} {}", request.table_name, request.enable ? "on" : "off"),
          .send = [request](Engine& engine) { return outcome_of(engine.update_contributor_insights(request)); },
          .effect = on_table(request.table_name, [request](ModelTable& table) {
            table.insights = request.enable;
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::change_expiry() {
  const UpdateTimeToLiveRequest request{.table_name = any_table(), .attribute_name = "t", .enabled = !one_in(3)};
  return {.text = fmt::format("UpdateTimeToLive {} {}", request.table_name, request.enabled ? "on" : "off"),
          .send = [request](Engine& engine) { return outcome_of(engine.update_time_to_live(request)); },
          .effect = on_table(request.table_name, [request](ModelTable& table) {
            if (table.expires == request.enabled) return Expected::kRefusal;
            table.expires = request.enabled;
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::change_recovery(int64_t now_ms) {
  const UpdateContinuousBackupsRequest request{.table_name = any_table(), .enabled = !one_in(4)};
  return {.text = fmt::format("UpdateContinuousBackups {} {}", request.table_name, request.enabled ? "on" : "off"),
          .send = [request](Engine& engine) { return outcome_of(engine.update_continuous_backups(request)); },
          .effect = on_table(request.table_name, [request, now_ms](ModelTable& table) {
            if (!request.enabled) {
              table.recovery_since_ms = 0;
              table.moments.clear();
            } else if (table.recovery_since_ms == 0) {
              table.recovery_since_ms = now_ms;
            }
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::change_tags() {
  const std::string name = any_table();
  const std::string key = fmt::format("tag{}", below(3));
  const std::string value = fmt::format("{}", ++version_);
  if (one_in(3)) {
    const UntagResourceRequest request{.resource_arn = arn_of(name), .tag_keys = {key}};
    return {.text = fmt::format("UntagResource {} {}", name, key),
            .send = [request](Engine& engine) { return outcome_of(engine.untag_resource(request)); },
            .effect = on_table(name, [key](ModelTable& table) {
              table.tags.erase(key);
              return Expected::kSuccess;
            })};
  }
  const TagResourceRequest request{.resource_arn = arn_of(name), .tags = {{.key = key, .value = value}}};
  return {.text = fmt::format("TagResource {} {}={}", name, key, value),
          .send = [request](Engine& engine) { return outcome_of(engine.tag_resource(request)); },
          .effect = on_table(name, [key, value](ModelTable& table) {
            table.tags[key] = value;
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::change_policy() {
  const std::string name = any_table();
  if (one_in(3)) {
    const DeleteResourcePolicyRequest request{.resource_arn = arn_of(name)};
    return {.text = fmt::format("DeleteResourcePolicy {}", name),
            .send = [request](Engine& engine) { return outcome_of(engine.delete_resource_policy(request)); },
            .effect = on_table(name, [](ModelTable& table) {
              table.policy.clear();
              return Expected::kSuccess;
            })};
  }
  const PutResourcePolicyRequest request{.resource_arn = arn_of(name), .policy = fmt::format("policy {}", ++version_)};
  return {.text = fmt::format("PutResourcePolicy {}", name),
          .send = [request](Engine& engine) { return outcome_of(engine.put_resource_policy(request)); },
          .effect = on_table(name, [request](ModelTable& table) {
            table.policy = request.policy;
            return Expected::kSuccess;
          })};
}

}  // namespace trestle
