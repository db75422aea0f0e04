// A table as it was at a moment, page by page in the order of its keys.
//
//   TRY_INTO(const HistoryHold hold, engine.hold_history("music", "export <id>", time_ms));   // once, kept with the
//   job TableAt table(engine.store(), hold); TRY_INTO(const auto step, table.read(cursor, {}, [&](std::string_view key,
//   ItemView item) { ... })); cursor = step.cursor;                           // goes on from here, also after a
//   restart; done: step.done TRY(engine.release_history(hold.id));           // when the job is over, or given up
//
// What always holds, whatever is written meanwhile and however often the program restarts in between:
// - Every item that the table had at the moment is visited exactly once, as it was, if each call goes on where the one
//   before it ended.
// - No snapshot outlives a call: each page is read from its own, and the history says what has changed since.
// Reads the disk; takes no locks. Threads may share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "model/error.h"
#include "storage/catalog/recovery_catalog.h"
#include "storage/history_record.h"
#include "storage/store.h"

namespace trestle {

class TableAt {
 public:
  // The hold keeps what this reads from being dropped: it must be there until the last read.
  TableAt(const Store& store, const HistoryHold& hold)
      : TableAt(store, hold.keyspace, hold.history_keyspace, hold.moment) {}
  // `history_keyspace` may be 0: nobody writes to the keyspace any more.
  TableAt(const Store& store, uint32_t keyspace, uint32_t history_keyspace, HistoryMoment moment)
      : store_(store), keyspace_(keyspace), history_keyspace_(history_keyspace), moment_(moment) {}

  // How much one call reads at most, about: it ends after the item that exceeds one of them.
  struct Limits {
    size_t keys_max = 256;
    size_t bytes_max = size_t{1} << 20;
  };
  // Where a call ended: the key visited, or looked at, last. `done`: there is nothing after it.
  struct Step {
    std::string cursor;
    bool done = false;
  };

  // Items after the key `after`; empty: from the beginning. Keys are encoded table keys (storage/key_encoding.h); what
  // is visited lives for the visit.
  using Visit = std::function<void(std::string_view key, ItemView item)>;
  Result<Step> read(std::string_view after, Limits limits, const Visit& visit) const;

  // The items that changed between an earlier moment and this one, however they ended up: `before` and `after` are what
  // they were at the two, empty if there was none, and may be equal. The table's history has to reach back to `from`.
  struct Changed {
    std::string_view key;
    ItemView before;
    ItemView after;
    int64_t written_ms = 0;  // the last change of the item that `after` has seen
  };
  using VisitChanged = std::function<void(const Changed& changed)>;
  Result<Step> read_changes(HistoryMoment from, std::string_view after, Limits limits, const VisitChanged& visit) const;

 private:
  const Store& store_;
  const uint32_t keyspace_;
  const uint32_t history_keyspace_;
  const HistoryMoment moment_;
};

}  // namespace trestle
