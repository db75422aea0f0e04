#include "engine/recovery/table_at.h"

#include <memory>
#include <optional>

namespace trestle {
namespace {

// The number of records of an item that are skipped one by one before switching to binary search.
constexpr int kStepsMax = 16;

// Reads history records, item by item. All reads of a page use the same snapshot.
class HistoryReader {
 public:
  HistoryReader(const Store& store, uint32_t keyspace, std::string_view after_key,
                const std::shared_ptr<const Snapshot>& snapshot)
      : keyspace_(keyspace) {
    if (keyspace == 0) return;
    CursorOptions options{.range = keyspace_range(keyspace), .fill_cache = false};
    if (!after_key.empty()) options.after = history_key(keyspace, after_key, UINT64_MAX);
    cursor_ = store.cursor(Space::kHistory, std::move(options), snapshot);
  }

  bool valid() const { return cursor_ && cursor_->valid(); }
  Result<void> status() const { return cursor_ ? cursor_->status() : Result<void>{}; }
  // The item of the current record: the part that the keys of records and items share.
  std::string_view item() const { return item_part(cursor_->key()); }

  // Moves to the first record of the item `part` (a copy of item()) that the moment does not include. Returns false if
  // it includes all of them. record() reads the result.
  Result<bool> skip_included(std::string_view part, const HistoryMoment& moment) {
    uint64_t included = 0;
    for (int steps = 0; at(part); ++steps) {
      TRY_INTO(const HistoryRecord here, record());
      if (!moment.includes(here.commit, here.time_ms)) return true;
      included = here.commit;
      if (steps == kStepsMax) return skip_by_binary_search(part, moment, included);
      cursor_->next();
    }
    return false;
  }
  // Moves past all records of the item.
  void skip_item(std::string_view part) {
    if (!at(part)) return;
    cursor_->next();
    if (at(part)) cursor_->seek(key_of(part, UINT64_MAX));
  }
  bool at(std::string_view part) const { return valid() && item() == part; }
  Result<void> next() {
    cursor_->next();
    return cursor_->status();
  }
  Result<HistoryRecord> record() const {
    const auto record = read_history_record(cursor_->key(), cursor_->value());
    if (!record) return failure(ErrorCode::kInternal, "A stored record of a table's history is damaged.");
    return *record;
  }

 private:
  std::string key_of(std::string_view part, uint64_t commit) const {
    return history_key(keyspace_, std::string(4, '\0').append(part), commit);
  }
  // Times grow with commits, so the records that a moment includes are a prefix of the item's records.
  Result<bool> skip_by_binary_search(std::string_view part, const HistoryMoment& moment, uint64_t included) {
    uint64_t not_included = UINT64_MAX;
    while (included + 1 < not_included) {
      const uint64_t middle = included + (not_included - included) / 2;
      cursor_->seek(key_of(part, middle));
      if (!at(part)) {
        TRY(status());
        not_included = middle;
        continue;
      }
      TRY_INTO(const HistoryRecord here, record());
      if (moment.includes(here.commit, here.time_ms)) {
        included = here.commit;
      } else {
        not_included = middle;
      }
    }
    cursor_->seek(key_of(part, included + 1));
    return at(part);
  }

  const uint32_t keyspace_;
  std::unique_ptr<Cursor> cursor_;
};

}  // namespace

Result<TableAt::Step> TableAt::read(std::string_view after, Limits limits, const Visit& visit) const {
  const auto snapshot = store_.snapshot();
  CursorOptions options{.range = keyspace_range(keyspace_), .fill_cache = false};
  options.after = after;
  const auto items = store_.cursor(Space::kItems, std::move(options), snapshot);
  HistoryReader history(store_, history_keyspace_, after, snapshot);

  Step step{.cursor = std::string(after), .done = false};
  size_t keys = 0;
  size_t bytes = 0;
  while (keys < limits.keys_max && bytes < limits.bytes_max) {
    const bool has_item = items->valid();
    if (!has_item && !history.valid()) {
      step.done = true;
      break;
    }
    const std::string_view here = has_item ? without_keyspace(items->key()) : std::string_view();
    const bool has_records = history.valid() && (!has_item || history.item() <= here);
    const bool exists = has_item && (!has_records || history.item() == here);
    const std::string part(has_records ? history.item() : here);
    step.cursor = key_in_keyspace(keyspace_, std::string(4, '\0').append(part));

    bool changed = false;
    if (has_records) {
      TRY_INTO(changed, history.skip_included(part, moment_));
    }
    if (changed) {
      TRY_INTO(const HistoryRecord record, history.record());
      bytes += record.before.bytes().size();
      if (!record.before.empty()) visit(step.cursor, record.before);
    } else if (exists) {
      bytes += items->value().size();
      visit(step.cursor, ItemView(items->value()));
    }
    history.skip_item(part);
    if (exists) items->next();
    ++keys;
  }
  TRY(items->status());
  TRY(history.status());
  return step;
}

Result<TableAt::Step> TableAt::read_changes(HistoryMoment from, std::string_view after, Limits limits,
                                            const VisitChangedItem& visit) const {
  const auto snapshot = store_.snapshot();
  HistoryReader history(store_, history_keyspace_, after, snapshot);
  Step step{.cursor = std::string(after), .done = false};
  PinnedBytes now;
  size_t bytes = 0;
  for (size_t keys = 0; keys < limits.keys_max && bytes < limits.bytes_max; ++keys) {
    if (!history.valid()) {
      step.done = true;
      break;
    }
    const std::string part(history.item());
    step.cursor = key_in_keyspace(keyspace_, std::string(4, '\0').append(part));
    std::optional<Item> before;
    int64_t written_ms = 0;
    // Reads the records between the two moments one by one; the last one has the time of the item's last write.
    TRY_INTO(bool more, history.skip_included(part, from));
    for (; more && history.at(part);) {
      TRY_INTO(const HistoryRecord record, history.record());
      more = moment_.includes(record.commit, record.time_ms);
      if (!more) break;
      if (!before) before.emplace(record.before);
      written_ms = record.time_ms;
      TRY(history.next());
    }
    if (before) {
      ChangedItem changed{.key = step.cursor, .before = before->view(), .after = {}, .written_ms = written_ms};
      std::optional<Item> later;
      if (history.at(part)) {
        TRY_INTO(const HistoryRecord record, history.record());
        later.emplace(record.before);
        changed.after = later->view();
      } else {
        TRY_INTO(const bool found, store_.get(Space::kItems, step.cursor, now, *snapshot));
        if (found) changed.after = ItemView(now.view());
      }
      bytes += changed.before.bytes().size() + changed.after.bytes().size();
      visit(changed);
    }
    history.skip_item(part);
  }
  TRY(history.status());
  return step;
}

}  // namespace trestle
