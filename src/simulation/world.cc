#include "simulation/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "exchange/export_line.h"
#include "simulation/agreeing_worlds.h"

namespace trestle {

void ModelTable::put(const std::string& key, Item item) {
  const auto found = items.find(key);
  if (found != items.end() && found->second == item) return;  // a write that changes nothing creates no stream record
  items[key] = std::move(item);
  if (stream) ++records[key];
}

void ModelTable::erase(const std::string& key) {
  if (items.erase(key) > 0 && stream) ++records[key];
}

const ModelTable* World::find(const std::string& name) const {
  const auto found = tables.find(name);
  return found == tables.end() ? nullptr : found->second.get();
}

ModelTable& World::change(const std::string& name) {
  auto copy = std::make_shared<ModelTable>(*tables.at(name));
  ModelTable& table = *copy;
  tables[name] = std::move(copy);
  return table;
}

void World::complete_background_work() {
  std::vector<std::string> names;
  for (const auto& [name, table] : tables) {
    if (table->creating || table->changing || table->bulk_pending) names.push_back(name);
  }
  for (const std::string& name : names) {
    ModelTable& table = change(name);
    table.creating = table.changing = table.bulk_pending = false;
  }
}

std::string item_text(ItemView item) {
  std::string text;
  append_export_line(text, ExportFormat::kDynamoDbJson, item);
  text.pop_back();
  return text;
}

std::string key_text(ItemView item) { return fmt::format("{}/{}", item.find("p")->scalar(), item.find("s")->scalar()); }

std::string item_line(const std::string& table, const std::string& key, ItemView item) {
  return fmt::format("table {} item {} {}", table, key, item_text(item));
}

std::string records_line(const std::string& table, const std::string& key, int records) {
  return fmt::format("table {} stream {} has {} records", table, key, records);
}

std::string export_line_of(const std::string& prefix, const std::set<std::string>& items) {
  return fmt::format("export {} {}", prefix, fmt::join(items, " "));
}

std::string backup_line(const std::string& backup, int64_t items, int64_t bytes) {
  return fmt::format("backup {} {} items {} bytes", backup, items, bytes);
}

std::string settings_line(const std::string& table, const TableSettings& settings) {
  std::string text = fmt::format("table {} settings", table);
  const auto add = [&](bool is_set, const char* name) {
    if (is_set) text += fmt::format(" {}", name);
  };
  add(settings.local_index, "by-l");
  add(settings.global_index, "by-g");
  add(settings.vector_index, "near");
  add(settings.stream, "stream");
  add(settings.expires, "ttl");
  add(settings.recovery, "recovery");
  add(settings.is_protected, "protected");
  add(settings.insights, "insights");
  if (settings.units_max != 0) text += fmt::format(" units {}", settings.units_max);
  for (const auto& [key, value] : settings.tags) text += fmt::format(" {}={}", key, value);
  if (!settings.policy.empty()) text += fmt::format(" policy {}", settings.policy);
  return text;
}

namespace {

std::string line_of_settings(const std::string& name, const ModelTable& table) {
  return settings_line(name, {.local_index = table.local_index,
                              .global_index = table.global_index,
                              .vector_index = table.vector_index,
                              .stream = table.stream,
                              .expires = table.expires,
                              .recovery = table.recovery_since_ms != 0,
                              .is_protected = table.is_protected,
                              .insights = table.insights,
                              .units_max = table.units_max,
                              .tags = table.tags,
                              .policy = table.policy});
}

// State that lines() omits but later requests may reveal.
std::string hidden_text(const World& world) {
  std::string text;
  const auto add_items = [&](const ModelItems& items) {
    for (const auto& [key, item] : items) text += fmt::format(" {} {}", key, item_text(item));
  };
  for (const std::string& token : world.tokens) text += token + " ";
  for (const auto& [name, table] : world.tables) {
    text += fmt::format("\n{} {} {} {} {}", name, table->creating, table->changing, table->bulk_pending,
                        table->recovery_since_ms);
    for (const auto& [key, count] : table->old_records) text += fmt::format(" {} {}", key, count);
    for (const auto& [ms, items] : table->moments) {
      text += fmt::format(" {}", ms);
      add_items(items);
    }
  }
  for (const auto& [name, backup] : world.backups) {
    text += fmt::format("\n{} {}", line_of_settings(name, backup), backup.creating);
    add_items(backup.items);
  }
  return text;
}

}  // namespace

std::vector<std::string> World::lines() const {
  std::vector<std::string> lines;
  for (const auto& [name, table] : tables) {
    lines.push_back(line_of_settings(name, *table));
    for (const auto& [key, item] : table->items) lines.push_back(item_line(name, key, item));
    for (const auto& [key, count] : table->records) lines.push_back(records_line(name, key, count));
  }
  for (const auto& [name, backup] : backups) {
    int64_t bytes = 0;
    for (const auto& [key, item] : backup.items) bytes += static_cast<int64_t>(item.size_bytes());
    lines.push_back(backup_line(name, static_cast<int64_t>(backup.items.size()), bytes));
  }
  for (const auto& [prefix, items] : exports) {
    std::set<std::string> texts;
    for (const auto& [key, item] : items) texts.insert(item_text(item));
    lines.push_back(export_line_of(prefix, texts));
  }
  std::ranges::sort(lines);
  return lines;
}

namespace {

// The worlds after a request with that outcome; nothing if no world agrees with it.
std::optional<std::vector<World>> worlds_after(const std::vector<World>& worlds, const Effect& effect, Outcome outcome,
                                               Worlds::Circumstances circumstances) {
  // While an earlier request may still take effect, an observation tells nothing about later states.
  const bool keeps_all = !circumstances.certain && (circumstances.is_read || outcome == Outcome::kRefusal);
  std::vector<World> next;
  bool agrees = false;
  for (const World& world : worlds) {
    World changed = world;
    const Expected expected = effect(changed);
    const bool may_succeed = expected != Expected::kRefusal;
    const bool may_be_refused = expected != Expected::kSuccess;
    if (outcome == Outcome::kSuccess) {
      if (may_succeed) next.push_back(std::move(changed));
      agrees = agrees || may_succeed;
    } else if (outcome == Outcome::kRefusal) {
      if (may_be_refused) next.push_back(world);
      agrees = agrees || may_be_refused;
    } else {
      next.push_back(world);
      if (may_succeed && !circumstances.is_read) next.push_back(std::move(changed));
      agrees = true;
    }
  }
  if (!agrees) return std::nullopt;
  if (keeps_all) return worlds;
  return next;
}

}  // namespace

bool Worlds::note(const Effect& effect, Outcome outcome, Circumstances circumstances) {
  if (outcome == Outcome::kConflict) return !circumstances.certain;
  auto next = worlds_after(worlds_, effect, outcome, circumstances);
  if (!next) return false;
  worlds_ = std::move(*next);
  if (worlds_.size() > 32) remove_duplicates(worlds_);
  return true;
}

bool Worlds::note_concurrent(const std::vector<std::vector<Concurrent>>& clients, bool certain) {
  // Keyed by the number of each client's requests that have taken effect. Every step leads to a greater key.
  std::map<std::vector<size_t>, std::vector<World>> reached;
  std::vector<size_t> all;
  for (const auto& requests : clients) all.push_back(requests.size());
  reached.emplace(std::vector<size_t>(clients.size(), 0), worlds_);
  while (!reached.empty()) {
    auto node = reached.extract(reached.begin());
    const std::vector<size_t>& done = node.key();
    std::vector<World>& worlds = node.mapped();
    if (worlds.size() > 1) remove_duplicates(worlds);
    if (done == all) {
      worlds_ = std::move(worlds);
      return true;
    }
    for (size_t client = 0; client < clients.size(); ++client) {
      if (done[client] == all[client]) continue;
      const Concurrent& request = clients[client][done[client]];
      bool is_next = true;
      for (size_t other = 0; other < clients.size(); ++other) {
        is_next = is_next && (done[other] == all[other] || clients[other][done[other]].ended >= request.began);
      }
      if (!is_next) continue;
      auto next = request.outcome == Outcome::kConflict
                      ? std::optional(worlds)
                      : worlds_after(worlds, *request.effect, request.outcome,
                                     {.certain = certain, .is_read = request.is_read});
      if (!next) continue;
      std::vector<size_t> after = done;
      ++after[client];
      std::vector<World>& target = reached[after];
      std::ranges::move(*next, std::back_inserter(target));
    }
  }
  return false;
}

void Worlds::remove_duplicates(std::vector<World>& worlds) {
  std::set<std::string> seen;
  std::erase_if(worlds, [&](const World& world) {
    return !seen.insert(fmt::format("{}\n{}", fmt::join(world.lines(), "\n"), hidden_text(world))).second;
  });
}

bool Worlds::keep(const std::vector<std::string>& lines, std::string& difference) {
  for (World& world : worlds_) world.complete_background_work();
  if (!keep_agreeing(worlds_, lines, difference)) return false;
  remove_duplicates(worlds_);
  return true;
}

bool Worlds::any(const std::function<bool(const World&)>& holds) const { return std::ranges::any_of(worlds_, holds); }

}  // namespace trestle
