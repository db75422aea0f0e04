// Shows the statuses CREATING, UPDATING and DELETING for a while after a change is done (`--transient-statuses`).
//
// The engine makes every change of a table at once. With a duration, DescribeTable and ListTables keep showing the
// description in the response of the change, the items of a table that is CREATING are not accessible, and a table that
// is not ACTIVE cannot be changed. Nothing is stored: a restart ends all transient statuses. Thread-safe.
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
  // With a duration of 0, no transient statuses are shown.
  TransientStatuses(const Clock& clock, int64_t duration_ms) : clock_(clock), duration_ms_(duration_ms) {}

  // While paused, changes are not remembered.
  void pause(bool paused) { paused_.store(paused, std::memory_order_relaxed); }
  // Remembers the description in the response of a change, with its status.
  void begin(const TableDescription& shown);

  // Replaces a description by the remembered one, if any; counts stay current.
  void show(TableDescription& table) const;
  // Whether the table is shown as CREATING, so that its items are not accessible yet.
  bool is_creating(const TableDescription& table) const;
  // The description of a deleted table that is still shown as DELETING.
  std::optional<TableDescription> find_deleting(std::string_view name) const;
  std::vector<std::string> deleting_names() const;

 private:
  struct Entry {
    TableDescription shown;
    int64_t until_ms = 0;
  };
  // The entry of that table, or null if there is none or its duration has passed.
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
