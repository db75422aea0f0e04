#include "simulation/requests.h"

#include <fmt/format.h>

#include "simulation/request_parts.h"

namespace trestle {

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
  // Each number takes two bytes, so that the list has the size that a vector index counts for it. The table's size is
  // recomputed after its vector indexes change, and a backup may be made before that has ended.
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

SimulatedRequest RequestSource::next(Engine& engine, const Worlds& worlds, int64_t now_ms) {
  if (worlds.first().tables.size() < 2 && one_in(3)) return create_table();
  switch (below(46)) {
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
      return update();
    case 31:
      return count();
    case 32:
    case 33:
      return get();
    case 34:
      return change_throughput();
    case 35:
      return change_insights();
    case 36:
    case 37:
      return execute_statement(now_ms);
    case 38:
      return execute_transaction(now_ms);
    default:
      return put(now_ms);
  }
}

SimulatedRequest RequestSource::item_request(int64_t now_ms) {
  switch (below(10)) {
    case 0:
    case 1:
      return count();
    case 2:
      return transact(now_ms);
    case 3:
      return write_batch(now_ms);
    case 4:
      return erase();
    case 5:
      return get();
    case 6:
      return execute_statement(now_ms);
    case 7:
      return execute_transaction(now_ms);
    default:
      return put(now_ms);
  }
}

SimulatedRequest RequestSource::next_concurrent(Engine& engine, const Worlds& worlds, int64_t now_ms) {
  for (;;) {
    SimulatedRequest request = one_in(3) ? next(engine, worlds, now_ms) : item_request(now_ms);
    if (!request.text.empty() && !request.is_alone) return request;
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

std::vector<Effect> trim_effects() {
  std::vector<Effect> effects;
  for (int i = 0; i < kTableNames; ++i) {
    effects.push_back([name = table_name(i)](World& world) {
      const ModelTable* found = world.find(name);
      if (found == nullptr || found->old_records.empty()) return Expected::kSuccess;
      ModelTable& table = world.change(name);
      for (const auto& [key, count] : table.old_records) {
        const auto records = table.records.find(key);
        records->second -= count;
        if (records->second == 0) table.records.erase(records);
      }
      table.old_records.clear();
      return Expected::kSuccess;
    });
  }
  return effects;
}

Effect day_effect() {
  return [](World& world) {
    world.tokens.clear();
    for (int i = 0; i < kTableNames; ++i) {
      if (world.find(table_name(i)) == nullptr) continue;
      ModelTable& table = world.change(table_name(i));
      table.old_records = table.records;
    }
    return Expected::kSuccess;
  };
}

}  // namespace trestle
