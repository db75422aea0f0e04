#include "runtime/background/blob_cleanup.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "runtime/items/stored_item.h"
#include "runtime/values/moment.h"

namespace trestle::runtime {

namespace {

// The greatest tolerated difference between the clocks of the database and the blob store.
constexpr int64_t kClocksDifferMs = 3'600'000;

bool is_not_there(const Error& error) { return error.code == ErrorCode::kUnknownOperation; }

// The time of the newest backup of the table; 0 if there is none.
Outcome<int64_t> newest_backup_ms(Database& database, const std::string& table) {
  int64_t newest_ms = 0;
  ListBackupsRequest request{.table_name = table};
  request.type = BackupTypeFilter::kAll;
  do {
    const auto page = database.list_backups(request);
    if (!page && is_not_there(page.error())) return 0;
    if (!page) return std::unexpected(refused_by(page.error()));
    for (const BackupSummary& backup : page->backups) {
      if (backup.details.status != BackupStatus::kDeleted) newest_ms = std::max(newest_ms, backup.details.created_ms);
    }
    request.exclusive_start_backup_arn = page->last_evaluated_backup_arn;
  } while (request.exclusive_start_backup_arn);
  return newest_ms;
}

// How far back the table can be restored; 0 if it has no point-in-time recovery.
Outcome<int64_t> recovery_period_ms(Database& database, const std::string& table) {
  constexpr int64_t kDaysDefault = 35;
  const auto recovery = database.describe_continuous_backups({.table_name = table});
  if (!recovery && is_not_there(recovery.error())) return 0;
  if (!recovery) return std::unexpected(refused_by(recovery.error()));
  if (!recovery->enabled) return 0;
  return kDayMs * (recovery->recovery_period_days > 0 ? recovery->recovery_period_days : kDaysDefault);
}

std::string mark_of(std::string_view blob) { return std::string(blob) + std::string(kUnreferencedMark); }

}  // namespace

Outcome<int64_t> sweep_blobs(const design::Design& design, Database& database, BlobStore& blobs,
                             const BlobSweep& sweep) {
  int64_t erased = 0;
  for (const design::Table& table : design.tables) {
    // The attributes that may contain a reference. A spilled field is never part of a key, so its attribute has its
    // name.
    std::vector<std::string> fields;
    for (const design::Entity& entity : design.entities) {
      if (entity.table != table.name) continue;
      for (const design::Spill& spill : entity.spills) {
        if (std::find(fields.begin(), fields.end(), spill.field) == fields.end()) fields.push_back(spill.field);
      }
    }
    if (fields.empty()) continue;
    TRY_INTO(const int64_t period_ms, recovery_period_ms(database, table.name));
    TRY_INTO(const int64_t backup_ms, newest_backup_ms(database, table.name));
    const int64_t retained_before_ms = backup_ms == 0 ? 0 : backup_ms + kClocksDifferMs;
    std::unordered_set<std::string> unreferenced;
    std::unordered_map<std::string, int64_t> marks;  // the ages of marks, by blob
    TRY(blobs.each(fmt::format("{}/{}/", design.name, table.name), [&](std::string_view name, int64_t age) {
      if (name.ends_with(kUnreferencedMark)) {
        name.remove_suffix(kUnreferencedMark.size());
        if (marks.size() < kBlobsMax) marks.emplace(name, age);
        return;
      }
      if (age < sweep.age_ms || sweep.now_ms - age < retained_before_ms) return;
      if (unreferenced.size() < kBlobsMax) unreferenced.emplace(name);
    }));
    if (unreferenced.empty() && marks.empty()) continue;
    ScanRequest scan;
    scan.table_name = table.name;
    scan.consistent_read = true;
    NameMap names;
    std::string projection;
    for (size_t i = 0; i < fields.size(); ++i) {
      names.emplace_back("#f" + std::to_string(i), fields[i]);
      projection += (i == 0 ? "#f" : ", #f") + std::to_string(i);
    }
    scan.projection.expression = projection;
    scan.placeholders.names = names;
    do {
      const auto page = database.scan(scan);
      if (!page) return std::unexpected(refused_by(page.error()));
      for (size_t i = 0; i < page->items.size(); ++i) {
        for (const std::string& field : fields) {
          const auto value = page->items[i].find(field);
          const auto blob = value ? ItemCodec::blob_of(*value) : std::nullopt;
          if (!blob) continue;
          unreferenced.erase(*blob);
          if (marks.erase(*blob) > 0) TRY(blobs.erase(mark_of(*blob)));
        }
      }
      scan.exclusive_start_key = page->last_evaluated_key;
    } while (scan.exclusive_start_key && !(unreferenced.empty() && marks.empty()));
    for (const std::string& name : unreferenced) {
      const auto mark = marks.find(name);
      if (period_ms > 0 && mark == marks.end()) {
        TRY(blobs.put(mark_of(name), "1"));
        continue;
      }
      if (period_ms > 0 && mark->second < period_ms + kClocksDifferMs) continue;
      // The mark is erased first: if the sweep is interrupted, the period begins again, but no orphaned mark remains.
      if (mark != marks.end()) TRY(blobs.erase(mark_of(name)));
      TRY(blobs.erase(name));
      ++erased;
    }
  }
  return erased;
}

}  // namespace trestle::runtime
