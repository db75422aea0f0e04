#include "runtime/blob_cleanup.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_set>

#include "runtime/stored_item.h"

namespace trestle::runtime {

Outcome<int64_t> sweep_blobs(const design::Design& design, Database& database, BlobStore& blobs, int64_t age_ms) {
  int64_t erased = 0;
  for (const design::Table& table : design.tables) {
    // The attributes that may hold a reference: a spilled field is never part of a key, so it has its own name.
    std::vector<std::string> fields;
    for (const design::Entity& entity : design.entities) {
      if (entity.table != table.name) continue;
      for (const design::Spill& spill : entity.spills) {
        if (std::find(fields.begin(), fields.end(), spill.field) == fields.end()) fields.push_back(spill.field);
      }
    }
    if (fields.empty()) continue;
    std::unordered_set<std::string> unmet;
    TRY(blobs.each(fmt::format("{}/{}/", design.name, table.name), [&](std::string_view name, int64_t age) {
      if (age >= age_ms && unmet.size() < kBlobsMax) unmet.emplace(name);
    }));
    if (unmet.empty()) continue;
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
          if (blob) unmet.erase(*blob);
        }
      }
      scan.exclusive_start_key = page->last_evaluated_key;
    } while (scan.exclusive_start_key && !unmet.empty());
    for (const std::string& name : unmet) {
      TRY(blobs.erase(name));
      ++erased;
    }
  }
  return erased;
}

}  // namespace trestle::runtime
