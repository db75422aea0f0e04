// Reads a table as of a moment, page by page in the order of its keys.
//
//   TRY_INTO(const HistoryHold hold, engine.hold_history("music", "export <id>", time_ms));   // stored with the job
//   TableAt table(engine.store(), hold);
//   TRY_INTO(const auto step, table.read(cursor, {}, [&](std::string_view key, ItemView item) { ... }));
//   cursor = step.cursor;                      // the next call continues here, also after a restart, until step.done
//   TRY(engine.release_history(hold.id));      // when the job has ended or was abandoned
//
// Invariants, regardless of concurrent writes and of restarts:
// - Every item that the table had at the moment is visited exactly once, as it was, if each call continues where the
//   previous one ended.
// - No snapshot outlives a call: each page has its own, and the history contains the changes since the moment.
// Reads the disk and takes no locks. Thread-safe.
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
  // The hold prevents the data from being dropped. It must not be released before the last read.
  TableAt(const Store& store, const HistoryHold& hold)
      : TableAt(store, hold.keyspace, hold.history_keyspace, hold.moment) {}
  // `history_keyspace` may be 0 if the keyspace is no longer written.
  TableAt(const Store& store, uint32_t keyspace, uint32_t history_keyspace, HistoryMoment moment)
      : store_(store), keyspace_(keyspace), history_keyspace_(history_keyspace), moment_(moment) {}

  // Approximate limits of one call: it ends after the item that reaches one of them.
  struct Limits {
    size_t keys_max = 256;
    size_t bytes_max = size_t{1} << 20;
  };
  // Where a call ended: the last key visited or examined. `done`: there is nothing after it.
  struct Step {
    std::string cursor;
    bool done = false;
  };

  // Visits the items after the key `after`, or from the beginning if it is empty. Keys are encoded table keys
  // (storage/key_encoding.h). The arguments of `visit` are valid only during the call.
  using Visit = std::function<void(std::string_view key, ItemView item)>;
  Result<Step> read(std::string_view after, Limits limits, const Visit& visit) const;

  // Visits the items that changed between an earlier moment, `from`, and this one. `before` and `after` are their
  // states at the two moments, empty if there was no item; they may be equal. The table's history must reach back to
  // `from`.
  struct ChangedItem {
    std::string_view key;
    ItemView before;
    ItemView after;
    int64_t written_ms = 0;  // time of the last change up to `after`
  };
  using VisitChangedItem = std::function<void(const ChangedItem& changed)>;
  Result<Step> read_changes(HistoryMoment from, std::string_view after, Limits limits,
                            const VisitChangedItem& visit) const;

 private:
  const Store& store_;
  const uint32_t keyspace_;
  const uint32_t history_keyspace_;
  const HistoryMoment moment_;
};

}  // namespace trestle
