// The statuses CREATING, UPDATING and DELETING, shown for a while after the change is done (`--transient-statuses`).
//
// The engine makes every change of a table at once. With a duration, DescribeTable and ListTables go on showing what
// the response of the change showed, items of a table that is CREATING cannot be reached, and a table that is not
// ACTIVE cannot be changed. Nothing of it is stored: after a restart every table is as it is. Thread-safe.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "model/table.h"
#include "storage/lock_ranks.h"

namespace trestle {

class TransientStatuses {
 public:
  // A duration of 0: nothing is shown.
  TransientStatuses(const Clock& clock, int64_t duration_ms) : clock_(clock), duration_ms_(duration_ms) {}

  // While paused, changes are not remembered.
  void pause(bool paused) { paused_.store(paused, std::memory_order_relaxed); }
  // Remembers the description that the change's response shows, with its status.
  void begin(const TableDescription& shown);

  // What DescribeTable shows instead of this description, but for the counts.
  void show(TableDescription& table) const;
  // Whether items of the table cannot be reached yet.
  bool is_creating(const TableDescription& table) const;
  // A table that is shown as DELETING.
  std::optional<TableDescription> find_deleting(std::string_view name) const;
  std::vector<std::string> deleting_names() const;

 private:
  struct Entry {
    TableDescription shown;
    int64_t until_ms = 0;
  };
  // The entry of that name, if its time is not over.
  const Entry* find(std::string_view name) const REQUIRES(mutex_);
  bool is_empty() const { return count_.load(std::memory_order_acquire) == 0; }

  const Clock& clock_;
  const int64_t duration_ms_;
  std::atomic<bool> paused_{false};
  std::atomic<size_t> count_{0};  // of entries
  mutable Mutex mutex_{kShortRank};
  std::map<std::string, Entry, std::less<>> entries_ GUARDED_BY(mutex_);  // by table
};

}  // namespace trestle
