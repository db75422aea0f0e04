// The history of a table: the state of each item before each of its changes.
//
//   kHistory key   := history keyspace u32, the item's key without its keyspace, commit u64, all big endian
//   kHistory value := 01 (format), time u64 big endian ms since 1970, the item before the change (empty: none)
//
// A table's history has its own keyspace, assigned when recording begins and never reused, so that an old recording can
// be dropped while a later one continues. The records of an item are in the order of its changes; items are in the
// order of their keys, since no key is a prefix of another. The state of an item at a moment is the `before` of its
// first record after that moment, or its current state if there is no such record. These bytes are on disk: never
// change a code, only add one. Vectors: docs/formats.md, history_record_test.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "model/value.h"
#include "storage/key_encoding.h"

namespace trestle {

// A moment in a table's history. It includes the changes with at most this commit number and at most this time.
struct HistoryMoment {
  uint64_t commit = std::numeric_limits<uint64_t>::max();
  int64_t time_ms = std::numeric_limits<int64_t>::max();
  bool includes(uint64_t of_commit, int64_t of_time_ms) const { return of_commit <= commit && of_time_ms <= time_ms; }
  friend bool operator==(const HistoryMoment&, const HistoryMoment&) = default;
};

struct HistoryRecord {
  uint64_t commit = 0;
  int64_t time_ms = 0;
  ItemView before;  // empty: the item did not exist
};

// `item_key` is an encoded key; its keyspace is ignored.
std::string history_key(uint32_t history_keyspace, std::string_view item_key, uint64_t commit);
std::string history_value(int64_t time_ms, ItemView before);

// The key moved to another keyspace.
std::string key_in_keyspace(uint32_t keyspace, std::string_view key);
inline std::string_view without_keyspace(std::string_view item_key) { return item_key.substr(4); }
// The part that a record's key and its item's key share: the item's key without its keyspace.
std::string_view item_part(std::string_view history_key);
uint64_t history_commit(std::string_view history_key);

// These return nothing if the bytes are not a record.
std::optional<HistoryRecord> read_history_record(std::string_view key, std::string_view value);
std::optional<int64_t> history_time_ms(std::string_view value);

}  // namespace trestle
