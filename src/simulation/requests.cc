#include "simulation/requests.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace trestle {
namespace {

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

constexpr int kTableNames = 3;
std::string table_name(uint64_t i) { return std::string(1, static_cast<char>('x' + i)) + "-table"; }

std::string arn_of(const std::string& table) { return "arn:aws:dynamodb:us-east-1:000000000000:table/" + table; }

Item key_item(ItemView item) { return Item{{"p", Value(*item.find("p"))}, {"s", Value(*item.find("s"))}}; }

// A change of a table that must exist and be ACTIVE.
Effect on_table(const std::string& name, std::function<Expected(ModelTable&)> change) {
  return [name, change = std::move(change)](World& world) {
    const ModelTable* table = world.find(name);
    if (table == nullptr) return Expected::kRefusal;
    ModelTable& changed = world.change(name);
    const Expected expected = change(changed);
    return changed.creating && expected == Expected::kSuccess ? Expected::kEither : expected;
  };
}

// The same for changes of the table itself, which are rejected while an index is being created.
Effect on_settled_table(const std::string& name, std::function<Expected(ModelTable&)> change) {
  return on_table(name, [change = std::move(change)](ModelTable& table) {
    const bool may_be_refused = table.changing;
    const Expected expected = change(table);
    return may_be_refused && expected == Expected::kSuccess ? Expected::kEither : expected;
  });
}

IndexDefinition global_index() {
  return {.index_name = "by-g", .key_schema = {{.attribute_name = "g"}}, .projection_type = ProjectionType::kAll};
}

VectorIndexDefinition vector_index() {
  return {.index_name = "near",
          .vector_attribute = "v",
          .dimensions = 3,
          .distance = DistanceFunction::kEuclidean,
          .projection_type = ProjectionType::kKeysOnly};
}

const std::vector<KeyAttribute> kKeyAttributes = {{"p", ValueType::kString}, {"s", ValueType::kNumber}};

CreateTableRequest plain_table(const std::string& name) {
  CreateTableRequest request{.table_name = name};
  request.attribute_definitions = kKeyAttributes;
  request.key_schema = {{.attribute_name = "p"}, {.attribute_name = "s", .is_range = true}};
  request.billing_mode = BillingMode::kPayPerRequest;
  return request;
}

// The result of a restore: the table's items and indexes, and nothing else.
ModelTable restored(const ModelTable& source, ModelItems items) {
  ModelTable table;
  table.items = std::move(items);
  table.local_index = source.local_index;
  table.global_index = source.global_index;
  table.vector_index = source.vector_index;
  table.creating = table.changing = true;
  return table;
}

bool anything_creating(const World& world) {
  for (const auto& [name, table] : world.tables) {
    if (table->creating) return true;
  }
  return false;
}

Expected add_restored(World& world, const std::string& name, ModelTable table) {
  if (world.find(name) != nullptr) return Expected::kRefusal;
  const bool may_be_refused = anything_creating(world);  // a backup is restored from once at a time
  world.tables[name] = std::make_shared<ModelTable>(std::move(table));
  return may_be_refused ? Expected::kEither : Expected::kSuccess;
}

// A request that is not sent.
SimulatedRequest nothing() {
  return {.text = {},
          .send = [](Engine&) { return Outcome::kSuccess; },
          .effect = [](World&) { return Expected::kSuccess; }};
}

// Whether a bulk put may be in progress; without a name: in any table.
bool is_bulk_pending(const Worlds& worlds, std::string_view name = {}) {
  return worlds.any([&](const World& world) {
    return std::ranges::any_of(world.tables, [&](const auto& entry) {
      return entry.second->bulk_pending && (name.empty() || entry.first == name);
    });
  });
}

struct ListedBackup {
  std::string name;  // as the model names it
  std::string arn;
};
std::vector<ListedBackup> listed_backups(Engine& engine) {
  std::vector<ListedBackup> backups;
  const auto listed = engine.list_backups({.type = BackupTypeFilter::kAll});
  if (!listed.has_value()) return backups;
  for (const BackupSummary& backup : listed->backups) {
    backups.push_back(
        {.name = fmt::format("{}@{}", backup.details.name, backup.details.created_ms), .arn = backup.details.arn});
  }
  return backups;
}

}  // namespace

std::string RequestSource::any_table() { return table_name(below(kTableNames)); }

Item RequestSource::any_key() {
  return Item{{"p", Value::string(std::string(1, static_cast<char>('a' + below(3))))},
              {"s", Value::number(static_cast<int64_t>(below(4)))}};
}

Item RequestSource::any_item(int64_t now_ms) {
  const Item key = any_key();
  ItemEditor item(key);
  const Value n = Value::number(++version_);
  const Value g = Value::string(fmt::format("g{}", below(3)));
  const Value l = Value::number(static_cast<int64_t>(below(3)));
  const Value t = Value::number(now_ms / 1000 + static_cast<int64_t>(below(60)));
  // Each number takes two bytes, so that the list has the size that a vector index counts for it: the size of a table
  // is counted again after a change of its vector indexes, and a backup may be made before that has ended.
  const Value x = Value::number(static_cast<int64_t>(1 + below(99)));
  const Value y = Value::number(static_cast<int64_t>(1 + below(99)));
  const std::vector<ValueView> elements{x, y, x};
  const Value v = Value::list(elements);
  const Value filler = Value::string(std::string(below(8) == 0 ? 5'000 : 20, 'f'));
  item.set("n", n);
  item.set("f", filler);
  if (one_in(2)) item.set("g", g);
  if (one_in(2)) item.set("l", l);
  if (one_in(2)) item.set("v", v);
  if (one_in(3)) item.set("t", t);
  return item.build();
}

SimulatedRequest RequestSource::put(int64_t now_ms) {
  PutItemRequest request{.table_name = any_table(), .item = any_item(now_ms)};
  const bool conditional = one_in(3);
  if (conditional) request.condition.expression = "attribute_not_exists(p)";
  const std::string key = key_text(request.item);
  return {.text = fmt::format("PutItem {} {}{}", request.table_name, key, conditional ? " if absent" : ""),
          .send = [request](Engine& engine) { return outcome_of(engine.put_item(request)); },
          .effect = on_table(request.table_name, [request, key, conditional](ModelTable& table) {
            if (conditional && table.items.contains(key)) return Expected::kRefusal;
            table.put(key, request.item);
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::update() {
  UpdateItemRequest request{.table_name = any_table(), .key = any_key()};
  const Value n = Value::number(++version_);
  const Value g = Value::string(fmt::format("g{}", below(3)));
  const bool conditional = one_in(2);
  if (conditional) request.condition.expression = "attribute_exists(p)";
  request.update_expression = "SET n = :n, g = :g REMOVE t";
  request.placeholders.values = ValueMap{{":n", n}, {":g", g}};
  const std::string key = key_text(request.key);
  return {.text = fmt::format("UpdateItem {} {}{}", request.table_name, key, conditional ? " if present" : ""),
          .send = [request](Engine& engine) { return outcome_of(engine.update_item(request)); },
          .effect = on_table(request.table_name, [request, key, conditional, n, g](ModelTable& table) {
            const auto found = table.items.find(key);
            if (conditional && found == table.items.end()) return Expected::kRefusal;
            const Item before = found == table.items.end() ? request.key : found->second;
            ItemEditor item(before);
            item.set("n", n);
            item.set("g", g);
            item.remove("t");
            table.put(key, item.build());
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::erase() {
  const DeleteItemRequest request{.table_name = any_table(), .key = any_key()};
  const std::string key = key_text(request.key);
  return {.text = fmt::format("DeleteItem {} {}", request.table_name, key),
          .send = [request](Engine& engine) { return outcome_of(engine.delete_item(request)); },
          .effect = on_table(request.table_name, [key](ModelTable& table) {
            table.erase(key);
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::write_batch(int64_t now_ms) {
  BatchWriteItemRequest request;
  std::string text = "BatchWriteItem";
  std::set<std::string> written;
  for (uint64_t i = 0, count = 2 + below(4); i < count; ++i) {
    const std::string table = any_table();
    BatchWrite write{.is_delete = one_in(3), .item = any_item(now_ms)};
    if (write.is_delete) write.item = key_item(write.item);
    if (!written.insert(table + key_text(write.item)).second) continue;
    text += fmt::format(" {}{} {}", write.is_delete ? "delete " : "", table, key_text(write.item));
    const auto of = std::ranges::find(request.tables, table, &BatchWriteTable::table_name);
    if (of == request.tables.end()) {
      request.tables.push_back({.table_name = table, .writes = {write}});
    } else {
      of->writes.push_back(write);
    }
  }
  return {.text = text,
          .send = [request](Engine& engine) { return outcome_of(engine.batch_write_item(request)); },
          .effect =
              [request](World& world) {
                bool creating = false;
                for (const BatchWriteTable& of : request.tables) {
                  if (world.find(of.table_name) == nullptr) return Expected::kRefusal;
                  ModelTable& table = world.change(of.table_name);
                  creating = creating || table.creating;
                  for (const BatchWrite& write : of.writes) {
                    if (write.is_delete) {
                      table.erase(key_text(write.item));
                    } else {
                      table.put(key_text(write.item), write.item);
                    }
                  }
                }
                return creating ? Expected::kEither : Expected::kSuccess;
              }};
}

SimulatedRequest RequestSource::transact(int64_t now_ms) {
  if (!retries_.empty() && one_in(3)) {
    SimulatedRequest again = retries_[below(retries_.size())];
    again.text += " again";
    return again;
  }
  TransactWriteItemsRequest request;
  const std::string token = one_in(2) ? fmt::format("token-{}", ++names_) : "";
  if (!token.empty()) request.client_request_token = token;
  std::string text = fmt::format("TransactWriteItems {}", token);
  std::set<std::string> touched;
  for (uint64_t i = 0, count = 2 + below(3); i < count; ++i) {
    TransactWrite write{.kind = one_in(4)   ? TransactWrite::Kind::kConditionCheck
                                : one_in(4) ? TransactWrite::Kind::kDelete
                                            : TransactWrite::Kind::kPut,
                        .table_name = any_table(),
                        .item = any_item(now_ms)};
    if (write.kind != TransactWrite::Kind::kPut) write.item = key_item(write.item);
    if (write.kind == TransactWrite::Kind::kConditionCheck) write.condition.expression = "attribute_exists(p)";
    if (!touched.insert(write.table_name + key_text(write.item)).second) continue;
    text += fmt::format(" {}{} {}",
                        write.kind == TransactWrite::Kind::kConditionCheck ? "check "
                        : write.kind == TransactWrite::Kind::kDelete       ? "delete "
                                                                           : "",
                        write.table_name, key_text(write.item));
    request.writes.push_back(std::move(write));
  }
  SimulatedRequest made{.text = text,
                        .send = [request](Engine& engine) { return outcome_of(engine.transact_write_items(request)); },
                        .effect =
                            [request, token](World& world) {
                              const bool repeated = !token.empty() && world.tokens.contains(token);
                              bool creating = false;
                              bool refused = false;
                              bool missing = false;
                              for (const TransactWrite& write : request.writes) {
                                const ModelTable* table = world.find(write.table_name);
                                missing = missing || table == nullptr;
                                if (table == nullptr) continue;
                                creating = creating || table->creating;
                                refused = refused || (write.kind == TransactWrite::Kind::kConditionCheck &&
                                                      !table->items.contains(key_text(write.item)));
                              }
                              // A table is looked for before the token is.
                              if (missing) return repeated ? Expected::kEither : Expected::kRefusal;
                              if (repeated) return creating ? Expected::kEither : Expected::kSuccess;
                              if (refused) return Expected::kRefusal;
                              for (const TransactWrite& write : request.writes) {
                                if (write.kind == TransactWrite::Kind::kConditionCheck) continue;
                                ModelTable& table = world.change(write.table_name);
                                if (write.kind == TransactWrite::Kind::kDelete) {
                                  table.erase(key_text(write.item));
                                } else {
                                  table.put(key_text(write.item), write.item);
                                }
                              }
                              if (!token.empty()) world.tokens.insert(token);
                              return creating ? Expected::kEither : Expected::kSuccess;
                            }};
  if (!token.empty()) retries_.push_back(made);
  return made;
}

// Expected to succeed only in worlds that have the found item.
SimulatedRequest RequestSource::get() {
  const GetItemRequest request{.table_name = any_table(), .key = any_key()};
  const std::string key = key_text(request.key);
  auto found = std::make_shared<std::optional<Item>>();  // shared by the two halves of this request
  return {.text = fmt::format("GetItem {} {}", request.table_name, key),
          .send =
              [request, found](Engine& engine) {
                const auto answer = engine.get_item(request);
                if (answer.has_value()) *found = answer->item;
                return outcome_of(answer);
              },
          .effect = on_table(request.table_name,
                             [key, found](ModelTable& table) {
                               const auto item = table.items.find(key);
                               const bool agrees = *found ? item != table.items.end() && item->second == **found
                                                          : item == table.items.end();
                               return agrees ? Expected::kSuccess : Expected::kRefusal;
                             }),
          .is_read = true};
}

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
  if (is_bulk_pending(worlds, name)) return nothing();  // the contents of its last backup would be unknown
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
                UpdateTableRequest made = request;
                // Definitions must name the key of the local index too, if there is one.
                const auto table = engine.describe_table({.table_name = made.table_name});
                if (made.attribute_definitions && table.has_value() && table->table.index("by-l") != nullptr) {
                  made.attribute_definitions->push_back({"l", ValueType::kNumber});
                }
                return outcome_of(engine.update_table(made));
              },
          .effect = on_settled_table(request.table_name, [adds](ModelTable& table) {
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
          .effect = on_settled_table(request.table_name, [adds](ModelTable& table) {
            if (table.vector_index == adds) return Expected::kRefusal;
            table.vector_index = adds;
            table.changing = true;
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::change_stream(const Worlds& worlds) {
  UpdateTableRequest request{.table_name = any_table()};
  if (is_bulk_pending(worlds, request.table_name)) return nothing();  // which of its puts are recorded is unknown
  const bool enables = one_in(2);
  request.stream = StreamSpecification{.enabled = enables};
  if (enables) request.stream->view_type = StreamViewType::kNewAndOldImages;
  return {.text = fmt::format("UpdateTable {} stream {}", request.table_name, enables ? "on" : "off"),
          .send = [request](Engine& engine) { return outcome_of(engine.update_table(request)); },
          .effect = on_settled_table(request.table_name, [enables](ModelTable& table) {
            if (table.stream == enables) return Expected::kRefusal;
            table.stream = enables;
            table.records.clear();
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::change_protection() {
  UpdateTableRequest request{.table_name = any_table()};
  const bool protects = one_in(3);
  request.deletion_protection = protects;
  return {.text = fmt::format("UpdateTable {} protection {}", request.table_name, protects ? "on" : "off"),
          .send = [request](Engine& engine) { return outcome_of(engine.update_table(request)); },
          .effect = on_settled_table(request.table_name, [protects](ModelTable& table) {
            table.is_protected = protects;
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

SimulatedRequest RequestSource::create_backup(int64_t now_ms) {
  const CreateBackupRequest request{.table_name = any_table(), .backup_name = fmt::format("backup-{}", ++names_)};
  return {.text = fmt::format("CreateBackup {} {}", request.table_name, request.backup_name),
          .send = [request](Engine& engine) { return outcome_of(engine.create_backup(request)); },
          .effect =
              [request, now_ms](World& world) {
                const ModelTable* table = world.find(request.table_name);
                if (table == nullptr) return Expected::kRefusal;
                const bool may_be_refused = table->creating;
                world.backups[fmt::format("{}@{}", request.backup_name, now_ms)] = restored(*table, table->items);
                return may_be_refused ? Expected::kEither : Expected::kSuccess;
              }};
}

SimulatedRequest RequestSource::delete_backup(Engine& engine) {
  const auto backups = listed_backups(engine);
  if (backups.empty()) return nothing();
  const ListedBackup backup = backups[below(backups.size())];
  return {.text = fmt::format("DeleteBackup {}", backup.name),
          .send = [arn = backup.arn](Engine& now) { return outcome_of(now.delete_backup({.backup_arn = arn})); },
          .effect =
              [name = backup.name](World& world) {
                if (!world.backups.contains(name) || name.find('$') != name.npos) return Expected::kRefusal;
                const bool in_use = world.backups.at(name).creating || anything_creating(world);
                world.backups.erase(name);
                return in_use ? Expected::kEither : Expected::kSuccess;
              }};
}

SimulatedRequest RequestSource::restore_backup(Engine& engine) {
  const auto backups = listed_backups(engine);
  if (backups.empty()) return nothing();
  const ListedBackup backup = backups[below(backups.size())];
  const RestoreTableFromBackupRequest request{.target_table_name = any_table(), .backup_arn = backup.arn};
  return {.text = fmt::format("RestoreTableFromBackup {} from {}", request.target_table_name, backup.name),
          .send = [request](Engine& now) { return outcome_of(now.restore_table_from_backup(request)); },
          .effect =
              [request, name = backup.name](World& world) {
                const auto found = world.backups.find(name);
                if (found == world.backups.end()) return Expected::kRefusal;
                const bool in_use = found->second.creating;
                ModelTable table = found->second;
                table.creating = table.changing = true;
                const Expected expected = add_restored(world, request.target_table_name, std::move(table));
                return in_use && expected == Expected::kSuccess ? Expected::kEither : expected;
              }};
}

SimulatedRequest RequestSource::restore_moment(const Worlds& worlds) {
  const std::string source = any_table();
  const ModelTable* table = worlds.first().find(source);
  if (table == nullptr || table->moments.empty()) return nothing();
  auto moment = table->moments.begin();
  std::advance(moment, static_cast<std::ptrdiff_t>(below(table->moments.size())));
  const int64_t time_ms = moment->first;
  const RestoreTableToPointInTimeRequest request{
      .source_table_name = source, .target_table_name = any_table(), .restore_ms = time_ms};
  return {.text = fmt::format("RestoreTableToPointInTime {} from {} at {}", request.target_table_name, source, time_ms),
          .send = [request](Engine& engine) { return outcome_of(engine.restore_table_to_point_in_time(request)); },
          .effect =
              [request, source, time_ms](World& world) {
                const ModelTable* from = world.find(source);
                if (from == nullptr || from->recovery_since_ms == 0) return Expected::kRefusal;
                if (!from->moments.contains(time_ms)) return Expected::kRefusal;
                return add_restored(world, request.target_table_name, restored(*from, from->moments.at(time_ms)));
              }};
}

// Remembers the contents of tables half a second from now, when nothing is written, so that a restore can use that
// time.
SimulatedRequest RequestSource::note_moment(const Worlds& worlds, int64_t now_ms) {
  if (is_bulk_pending(worlds)) return nothing();
  return {.text = fmt::format("(a moment to restore to: {})", now_ms + 500),
          .send = [](Engine&) { return Outcome::kSuccess; },
          .effect =
              [now_ms](World& world) {
                std::vector<std::string> names;
                for (const auto& [name, table] : world.tables) {
                  if (table->recovery_since_ms != 0) names.push_back(name);
                }
                for (const std::string& name : names) {
                  ModelTable& table = world.change(name);
                  table.moments[now_ms + 500] = table.items;
                }
                return Expected::kSuccess;
              }};
}

SimulatedRequest RequestSource::export_table(const Worlds& worlds) {
  const std::string name = any_table();
  if (is_bulk_pending(worlds, name)) return nothing();
  ExportTableToPointInTimeRequest request;
  request.table_arn = arn_of(name);
  request.s3_bucket = "bucket";
  request.s3_prefix = fmt::format("export-{}", ++names_);
  return {.text = fmt::format("ExportTableToPointInTime {} to {}", name, *request.s3_prefix),
          .send = [request](Engine& engine) { return outcome_of(engine.export_table_to_point_in_time(request)); },
          .effect =
              [name, prefix = *request.s3_prefix](World& world) {
                const ModelTable* table = world.find(name);
                if (table == nullptr || table->recovery_since_ms == 0) return Expected::kRefusal;
                world.exports[prefix] = table->items;
                return Expected::kSuccess;
              }};
}

std::string RequestSource::write_objects(const ModelItems& items) {
  const std::string prefix = fmt::format("load-{}/", ++names_);
  std::filesystem::create_directories(bucket_folder_ + "/" + prefix);
  int count = 0;
  for (const auto& [key, item] : items) {
    std::ofstream out(fmt::format("{}/{}object-{}", bucket_folder_, prefix, count++ / 4), std::ios::app);
    out << item_text(item) << '\n';
  }
  return prefix;
}

SimulatedRequest RequestSource::import_table(int64_t now_ms) {
  ModelTable table;
  for (uint64_t i = 0, count = below(12); i < count; ++i) {
    const Item item = any_item(now_ms);
    table.items[key_text(item)] = item;
  }
  table.creating = true;
  ImportTableRequest request{.client_token = fmt::format("import-{}", ++names_)};
  request.source.bucket = "bucket";
  request.source.prefix = write_objects(table.items);
  request.table = plain_table(any_table());
  table.global_index = one_in(2);
  if (table.global_index) {
    request.table.attribute_definitions.push_back({"g", ValueType::kString});
    request.table.global_indexes = std::vector<IndexDefinition>{global_index()};
  }
  return {.text = fmt::format("ImportTable {} of {} items", request.table.table_name, table.items.size()),
          .send = [request](Engine& engine) { return outcome_of(engine.import_table(request)); },
          .effect =
              [name = request.table.table_name, table](World& world) {
                if (world.find(name) != nullptr) return Expected::kRefusal;
                world.tables[name] = std::make_shared<ModelTable>(table);
                return Expected::kSuccess;
              }};
}

// Its items are in partitions that no other request writes to, because the order of loads and other writes is unknown.
SimulatedRequest RequestSource::put_in_bulk(const Worlds& worlds) {
  const std::string name = any_table();
  if (is_bulk_pending(worlds, name)) return nothing();
  ModelItems items;
  for (uint64_t i = 0, count = 1 + below(9); i < count; ++i) {
    const Item item{{"p", Value::string("bulk")},
                    {"s", Value::number(static_cast<int64_t>(i))},
                    {"n", Value::number(++version_)},
                    {"g", Value::string("g0")}};
    items[key_text(item)] = item;
  }
  StartBulkPutItemsRequest request;
  request.source.bucket = "bucket";
  request.source.prefix = write_objects(items);
  request.output.bucket = "bucket";
  request.output.prefix = "errors";
  request.table_name = name;
  return {.text = fmt::format("StartBulkPutItems {} of {} items", name, items.size()),
          .send = [request](Engine& engine) { return outcome_of(engine.start_bulk_put_items(request)); },
          .effect = on_table(name, [items](ModelTable& table) {
            for (const auto& [key, item] : items) table.put(key, item);
            table.bulk_pending = true;
            return Expected::kSuccess;
          })};
}

SimulatedRequest RequestSource::next(Engine& engine, const Worlds& worlds, int64_t now_ms) {
  if (worlds.first().tables.size() < 2 && one_in(3)) return create_table();
  switch (below(40)) {
    case 0:
    case 1:
    case 2:
      return create_table();
    case 3:
      return delete_table(worlds, now_ms);
    case 4:
    case 5:
      return change_global_index();
    case 6:
      return change_vector_index();
    case 7:
      return change_stream(worlds);
    case 8:
      return change_protection();
    case 9:
      return change_expiry();
    case 10:
    case 11:
      return change_recovery(now_ms);
    case 12:
      return change_tags();
    case 13:
      return change_policy();
    case 14:
      return is_bulk_pending(worlds) ? nothing() : create_backup(now_ms);
    case 15:
      return delete_backup(engine);
    case 16:
      return restore_backup(engine);
    case 17:
    case 18:
      return restore_moment(worlds);
    case 19:
      return note_moment(worlds, now_ms);
    case 20:
      return export_table(worlds);
    case 21:
      return import_table(now_ms);
    case 22:
      return put_in_bulk(worlds);
    case 23:
    case 24:
    case 25:
      return transact(now_ms);
    case 26:
    case 27:
      return write_batch(now_ms);
    case 28:
    case 29:
      return erase();
    case 30:
    case 31:
      return update();
    case 32:
    case 33:
      return get();
    default:
      return put(now_ms);
  }
}

std::vector<Effect> expiry_effects(int64_t now_ms) {
  std::vector<Effect> effects;
  const int64_t now_seconds = now_ms / 1000;
  for (int i = 0; i < kTableNames; ++i) {
    effects.push_back([name = table_name(i), now_seconds](World& world) {
      const ModelTable* found = world.find(name);
      if (found == nullptr || !found->expires) return Expected::kSuccess;
      ModelTable& table = world.change(name);
      std::vector<std::string> expired;
      for (const auto& [key, item] : table.items) {
        const auto time = item.find("t");
        if (time && std::stoll(std::string(time->scalar())) <= now_seconds) expired.push_back(key);
      }
      for (const std::string& key : expired) table.erase(key);
      return Expected::kSuccess;
    });
  }
  return effects;
}

}  // namespace trestle
