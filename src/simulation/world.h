// What the database must hold, by the model: one of several possible worlds.
//
// A request that was answered with a success has had its effect; one that was refused has had none; one that failed for
// the machine's reasons (503, 500) has had either, wholly or not at all. So the model is a set of worlds, all of which
// agree with every answer so far. It starts as one; each unknown outcome may double it; each later answer, and each
// look at the whole database, removes the worlds that contradict it. An empty set is a violation.
//
// A world is a value: copying is cheap, since tables are shared until they change.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/value.h"

namespace trestle {

using ModelItems = std::map<std::string, Item>;  // by key, as text: "a/2"

// All tables have the key p (S), s (N). Items may have g (S) for the global index, l (N) for the local one, v (a list
// of three numbers) for the vector index and t (N) for time to live.
struct ModelTable {
  ModelItems items;
  bool local_index = false;
  bool global_index = false;
  bool vector_index = false;
  bool stream = false;
  std::map<std::string, int> records;     // of the stream, by key
  bool expires = false;                   // time to live is on
  int64_t recovery_since_ms = 0;          // 0: point in time recovery is off
  std::map<int64_t, ModelItems> moments;  // what the table held at times to which it can be restored
  std::map<std::string, std::string> tags;
  std::string policy;
  bool is_protected = false;
  // Until the next look at the whole database, which waits for background work:
  bool creating = false;      // a restore or import may be under way: other requests may be refused
  bool changing = false;      // an index may be in the making: changes of the table may be refused
  bool bulk_pending = false;  // a bulk put may be under way: what it writes may be there or not

  void put(const std::string& key, Item item);
  void erase(const std::string& key);
};

struct World {
  std::map<std::string, std::shared_ptr<const ModelTable>> tables;  // shared between worlds until changed
  std::map<std::string, ModelTable> backups;                        // by name and time; what a restore makes
  std::map<std::string, ModelItems> exports;                        // by prefix
  std::set<std::string> tokens;                                     // of transactions that took effect

  const ModelTable* find(const std::string& name) const;
  // To change it. It must be there.
  ModelTable& change(const std::string& name);
  // Background work is over.
  void settle();
  // Everything that a client could see, a line each, in a canonical order; observe() makes the same of a database.
  std::vector<std::string> lines() const;
};

// Lines that more than one source of lines writes.
std::string item_text(ItemView item);
std::string item_line(const std::string& table, const std::string& key, ItemView item);
std::string records_line(const std::string& table, const std::string& key, int records);
std::string export_line_of(const std::string& prefix, const std::set<std::string>& items);
std::string backup_line(const std::string& backup, int64_t items, int64_t bytes);
struct TableSettings {
  bool local_index, global_index, vector_index, stream, expires, recovery, is_protected;
  std::map<std::string, std::string> tags;
  std::string policy;
};
std::string settings_line(const std::string& table, const TableSettings& settings);
std::string key_text(ItemView item);

// What a request's outcome was, and what a world expects of it. A conflict is with a transaction that has not ended.
enum class Outcome { kSuccess, kRefusal, kUnknown, kConflict };
enum class Expected { kSuccess, kRefusal, kEither };
// Applies a request to a world, which is used only if the request had its effect.
using Effect = std::function<Expected(World&)>;

class Worlds {
 public:
  Worlds() : worlds_(1) {}
  // False: no world agrees with that outcome. `certain`: no earlier request with an unknown outcome can still take
  // effect, at a recovery or restart, so that what a read or a refusal shows will stay, and no transaction is left
  // unfinished.
  struct Circumstances {
    bool certain = true;
    bool is_read = false;
  };
  bool note(const Effect& effect, Outcome outcome, Circumstances circumstances);
  // Keeps those with these lines, after background work. False: there is none, and `difference` tells how the closest
  // differs.
  bool keep(const std::vector<std::string>& lines, std::string& difference);
  bool any(const std::function<bool(const World&)>& holds) const;
  const World& first() const { return worlds_.front(); }
  size_t size() const { return worlds_.size(); }

 private:
  void remove_duplicates();
  std::vector<World> worlds_;
};

}  // namespace trestle
