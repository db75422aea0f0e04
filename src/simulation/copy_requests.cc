// Random backups, restores, exports, imports and bulk puts.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "simulation/request_parts.h"

namespace trestle {
namespace {

struct ListedBackup {
  std::string name;  // the model's name of the backup
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
  const ListedBackup& backup = backups[below(backups.size())];
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
  const ListedBackup& backup = backups[below(backups.size())];
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

// Records the contents of the tables half a second from now, a time at which nothing is written, so that a restore can
// use it.
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
              },
          .is_alone = true};
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
          .effect = on_table(name,
                             [items](ModelTable& table) {
                               for (const auto& [key, item] : items) table.put(key, item);
                               table.bulk_pending = true;
                               return Expected::kSuccess;
                             }),
          .is_alone = true};
}

}  // namespace trestle
