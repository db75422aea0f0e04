// A table as of a moment, page by page in the order of its keys.
//
//   TRY_INTO(const HistoryHold hold, engine.hold_history("music", "export <id>", time_ms));   // stored with the job
//   TableAt table(engine.store(), hold);
//   TRY_INTO(const auto step, table.read(cursor, {}, [&](std::string_view key, ItemView item) { ... }));
//   cursor = step.cursor;                      // continues from here, also after a restart; done: step.done
//   TRY(engine.release_history(hold.id));      // when the job has ended or was abandoned
//
// Invariants, whatever is written meanwhile and however often the program restarts:
// - Every item that the table had at the moment is visited exactly once, as it was, if each call continues where the
//   previous one ended.
// - No snapshot outlives a call: each page has its own, and the history contains the changes since the moment.
// Reads the disk; takes no locks. Thread-safe.
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
  // `history_keyspace` may be 0 if the keyspace is no longer written.
  TableAt(const Store& store, uint32_t keyspace, uint32_t history_keyspace, HistoryMoment moment)
      : store_(store), keyspace_(keyspace), history_keyspace_(history_keyspace), moment_(moment) {}

  // How much one call reads at most, about: it ends after the item that exceeds one of them.
  struct Limits {
    size_t keys_max = 256;
    size_t bytes_max = size_t{1} << 20;
  };
  // The end of a call: the last key visited or examined. `done`: there is nothing after it.
  struct Step {
    std::string cursor;
    bool done = false;
  };

  // Visits items after the key `after`; empty: from the beginning. Keys are encoded table keys
  // (storage/key_encoding.h). The arguments are valid during the visit.
  using Visit = std::function<void(std::string_view key, ItemView item)>;
  Result<Step> read(std::string_view after, Limits limits, const Visit& visit) const;

  // The items that changed between an earlier moment and this one: `before` and `after` are their states at the two
  // moments, empty if there was no item, and may be equal. The table's history must reach back to `from`.
  struct Changed {
    std::string_view key;
    ItemView before;
    ItemView after;
    int64_t written_ms = 0;  // time of the last change up to `after`
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
