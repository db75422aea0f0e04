// Shared by the files that generate random requests. Internal to the simulation.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulation/requests.h"

namespace trestle {

template <class T>
Outcome outcome_of(const Result<T>& answer) {
  if (answer.has_value()) return Outcome::kSuccess;
  const ErrorCode code = answer.error().code;
  if (code == ErrorCode::kServiceUnavailable || code == ErrorCode::kInternal) return Outcome::kUnknown;
  if (code == ErrorCode::kTransactionConflict || code == ErrorCode::kTransactionInProgress) return Outcome::kConflict;
  if (answer.error().reasons) {
    for (const CancellationReason& reason : *answer.error().reasons) {
      if (reason.code == "TransactionConflict") return Outcome::kConflict;
    }
  }
  return Outcome::kRefusal;
}

// Calls an item operation as an event loop does: without waiting for the disk. If the call needs the disk, it is
// repeated as by a worker.
template <class Request, class Response>
Result<Response> call_as_loop(Engine& engine, Result<Response> (Database::*operation)(const Request&, Call&),
                              const Request& request) {
  Call call;
  call.cached_reads_only = true;
  auto answer = (engine.*operation)(request, call);
  if (call.needs_disk) {
    call = {};
    answer = (engine.*operation)(request, call);
  }
  TRY(engine.wait_durable(call));
  return answer;
}

inline constexpr int kTableNames = 3;
inline std::string table_name(uint64_t i) { return std::string(1, static_cast<char>('x' + i)) + "-table"; }

inline std::string arn_of(const std::string& table) { return "arn:aws:dynamodb:us-east-1:000000000000:table/" + table; }

inline Item key_item(ItemView item) { return Item{{"p", Value(*item.find("p"))}, {"s", Value(*item.find("s"))}}; }

// The effect of changing a table, which must exist and be ACTIVE.
inline Effect on_table(const std::string& name, std::function<Expected(ModelTable&)> change) {
  return [name, change = std::move(change)](World& world) {
    const ModelTable* table = world.find(name);
    if (table == nullptr) return Expected::kRefusal;
    ModelTable& changed = world.change(name);
    const Expected expected = change(changed);
    return changed.creating && expected == Expected::kSuccess ? Expected::kEither : expected;
  };
}

// The same for changes of the table itself, which are rejected while an index is being created.
inline Effect on_stable_table(const std::string& name, std::function<Expected(ModelTable&)> change) {
  return on_table(name, [change = std::move(change)](ModelTable& table) {
    const bool may_be_refused = table.changing;
    const Expected expected = change(table);
    return may_be_refused && expected == Expected::kSuccess ? Expected::kEither : expected;
  });
}

inline IndexDefinition global_index() {
  return {.index_name = "by-g", .key_schema = {{.attribute_name = "g"}}, .projection_type = ProjectionType::kAll};
}

inline VectorIndexDefinition vector_index() {
  return {.index_name = "near",
          .vector_attribute = "v",
          .dimensions = 3,
          .distance = DistanceFunction::kEuclidean,
          .projection_type = ProjectionType::kKeysOnly};
}

inline const std::vector<KeyAttribute> kKeyAttributes = {{"p", ValueType::kString}, {"s", ValueType::kNumber}};

inline CreateTableRequest plain_table(const std::string& name) {
  CreateTableRequest request{.table_name = name};
  request.attribute_definitions = kKeyAttributes;
  request.key_schema = {{.attribute_name = "p"}, {.attribute_name = "s", .is_range = true}};
  request.billing_mode = BillingMode::kPayPerRequest;
  return request;
}

// The table that a restore creates: the source's indexes and the given items, but no other settings.
inline ModelTable restored(const ModelTable& source, ModelItems items) {
  ModelTable table;
  table.items = std::move(items);
  table.local_index = source.local_index;
  table.global_index = source.global_index;
  table.vector_index = source.vector_index;
  table.units_max = source.units_max;
  table.creating = table.changing = true;
  return table;
}

inline bool anything_creating(const World& world) {
  for (const auto& [name, table] : world.tables) {
    if (table->creating) return true;
  }
  return false;
}

inline Expected add_restored(World& world, const std::string& name, ModelTable table) {
  if (world.find(name) != nullptr) return Expected::kRefusal;
  const bool may_be_refused = anything_creating(world);  // only one restore from a backup may run at a time
  world.tables[name] = std::make_shared<ModelTable>(std::move(table));
  return may_be_refused ? Expected::kEither : Expected::kSuccess;
}

// Stands for no request: nothing is sent.
inline SimulatedRequest nothing() {
  return {.text = {},
          .send = [](Engine&) { return Outcome::kSuccess; },
          .effect = [](World&) { return Expected::kSuccess; }};
}

// Whether a bulk put may be in progress in the table or, without a name, in any table.
inline bool is_bulk_pending(const Worlds& worlds, std::string_view name = {}) {
  return worlds.any([&](const World& world) {
    return std::ranges::any_of(world.tables, [&](const auto& entry) {
      return entry.second->bulk_pending && (name.empty() || entry.first == name);
    });
  });
}

}  // namespace trestle
