// Admits or throttles reads and writes, by the capacity of a table and its indexes, and counts the key for contributor
// insights in either case.
#pragma once

#include "engine/parts.h"

namespace trestle {

inline KeyEvent event_of(UnitKind kind) { return kind == UnitKind::kRead ? KeyEvent::kRead : KeyEvent::kWrite; }

// Admits a read or write of the item with this key.
inline Result<void> admit(ItemParts& parts, const TableDescription& table, UnitKind kind, ItemView key) {
  auto admitted = parts.throughput.admit(table, kind);
  parts.insights.note({table}, admitted.has_value() ? event_of(kind) : KeyEvent::kThrottled, key);
  return admitted;
}

// Admits a write by the capacity of the global indexes that it changes.
inline Result<void> admit_index_writes(ItemParts& parts, const TableDescription& table, ItemView before,
                                       ItemView after) {
  const IndexDescription* throttled_by = nullptr;
  auto admitted = parts.throughput.admit_index_writes(table, before, after, &throttled_by);
  if (throttled_by != nullptr) [[unlikely]] {
    parts.insights.note({table, throttled_by}, KeyEvent::kThrottled, after.empty() ? before : after);
  }
  return admitted;
}

// Admits a write by the capacity of the table and of its indexes.
inline Result<void> admit_write(ItemParts& parts, const TableDescription& table, ItemView key, ItemView before,
                                ItemView after) {
  TRY(admit(parts, table, UnitKind::kWrite, key));
  return admit_index_writes(parts, table, before, after);
}

}  // namespace trestle
