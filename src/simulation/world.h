// The expected contents of the database: a set of possible worlds.
//
// A successful request has taken effect; a rejected one has not; one that failed because of the machine (503, 500) has
// either taken effect completely or not at all. So the model is the set of all worlds that are consistent with every
// response so far. It starts with one world. Each unknown outcome may double the set; each later response, and each
// observation of the whole database, removes the worlds that contradict it. If the set becomes empty, the database has
// violated a guarantee.
//
// A world is a value. Copying it is cheap, because worlds share tables until they change.
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

// All tables have the key p (S), s (N). Items may have g (S) for the global index, l (N) for the local index, v (a list
// of three numbers) for the vector index and t (N) for time to live.
struct ModelTable {
  ModelItems items;
  bool local_index = false;
  bool global_index = false;
  bool vector_index = false;
  bool stream = false;
  std::map<std::string, int> records;      // of the stream, by key
  std::map<std::string, int> old_records;  // those of them that are older than a day, and may be trimmed
  bool expires = false;                    // time to live is enabled
  int64_t recovery_since_ms = 0;           // 0: point-in-time recovery is disabled
  std::map<int64_t, ModelItems> moments;   // the table's contents at times to which it can be restored
  std::map<std::string, std::string> tags;
  std::string policy;
  bool is_protected = false;
  bool insights = false;  // Contributor Insights
  int64_t units_max = 0;  // of on-demand throughput; 0: no limit
  // Until the next observation of the whole database, which waits for background work:
  bool creating = false;      // a restore or import may be in progress, so other requests may be rejected
  bool changing = false;      // an index may be in creation, so changes of the table may be rejected
  bool bulk_pending = false;  // a bulk put may be in progress, so its writes may or may not be visible

  void put(const std::string& key, Item item);
  void erase(const std::string& key);
};

struct World {
  std::map<std::string, std::shared_ptr<const ModelTable>> tables;  // shared between worlds until changed
  std::map<std::string, ModelTable> backups;                        // by name and time; what a restore creates
  std::map<std::string, ModelItems> exports;                        // by prefix
  std::set<std::string> tokens;                                     // of completed transactions

  const ModelTable* find(const std::string& name) const;
  // For modification. The table must exist.
  ModelTable& change(const std::string& name);
  // Background work has ended.
  void complete_background_work();
  // Everything that a client can see, as lines in a canonical order. observe() returns the same for a database.
  std::vector<std::string> lines() const;
};

// The formats of lines that several files produce.
std::string item_text(ItemView item);
std::string item_line(const std::string& table, const std::string& key, ItemView item);
std::string records_line(const std::string& table, const std::string& key, int records);
std::string export_line_of(const std::string& prefix, const std::set<std::string>& items);
std::string backup_line(const std::string& backup, int64_t items, int64_t bytes);
struct TableSettings {
  bool local_index, global_index, vector_index, stream, expires, recovery, is_protected, insights;
  int64_t units_max;
  std::map<std::string, std::string> tags;
  std::string policy;
};
std::string settings_line(const std::string& table, const TableSettings& settings);
std::string key_text(ItemView item);

// The outcome of a request, and what a world expects. kConflict: the request met a transaction that has not ended.
enum class Outcome { kSuccess, kRefusal, kUnknown, kConflict };
enum class Expected { kSuccess, kRefusal, kEither };
// Applies a request to a world. The resulting world is used only if the request took effect.
using Effect = std::function<Expected(World&)>;

class Worlds {
 public:
  Worlds() : worlds_(1) {}
  // Returns false if no world agrees with the outcome. `certain`: no earlier request with an unknown outcome can still
  // take effect at a recovery or restart, and no transaction is unfinished. What a read or rejection shows is then
  // final.
  struct Circumstances {
    bool certain = true;
    bool is_read = false;
  };
  bool note(const Effect& effect, Outcome outcome, Circumstances circumstances);
  // One of several concurrent requests. If one request ended before another began, it took effect first; otherwise both
  // orders are possible. `began` and `ended` are numbered by one counter.
  struct Concurrent {
    const Effect* effect = nullptr;
    Outcome outcome = Outcome::kSuccess;
    bool is_read = false;
    uint64_t began = 0;
    uint64_t ended = 0;
  };
  // Takes the requests of each client in its order, and keeps the worlds of every interleaving that agrees with all
  // outcomes. Returns false if there is none. A conflict with another client's transaction always agrees.
  bool note_concurrent(const std::vector<std::vector<Concurrent>>& clients, bool certain);
  // Keeps the worlds with these lines, after background work. If there are none, returns false and describes in
  // `difference` how the closest world differs.
  bool keep(const std::vector<std::string>& lines, std::string& difference);
  bool any(const std::function<bool(const World&)>& holds) const;
  const World& first() const { return worlds_.front(); }
  size_t size() const { return worlds_.size(); }

 private:
  static void remove_duplicates(std::vector<World>& worlds);
  std::vector<World> worlds_;
};

}  // namespace trestle
