// The history of a table: what each item was before each of its changes.
//
//   kHistory key   := history keyspace u32, the item's key without its keyspace, commit u64, all big endian
//   kHistory value := 01 (format), time u64 big endian ms since 1970, the item before the change (nothing: there was
//   none)
//
// A table's history has a keyspace of its own, given when recording begins and never again, so that what was recorded
// once can be dropped while a later recording goes on. Records of an item follow one another in the order of its
// changes; items are in the order of their keys, since no key is the beginning of another.
// What an item was at some moment is the `before` of its first record after that moment, or, if there is none, what it
// is now.
// These bytes are on disk: never change a code, add one. Vectors: docs/formats.md, history_record_test.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "model/value.h"
#include "storage/key_encoding.h"

namespace trestle {

// A moment in a table's history: after the changes that have at most this number and at most this time.
struct HistoryMoment {
  uint64_t commit = std::numeric_limits<uint64_t>::max();
  int64_t time_ms = std::numeric_limits<int64_t>::max();
  bool includes(uint64_t of_commit, int64_t of_time_ms) const { return of_commit <= commit && of_time_ms <= time_ms; }
  friend bool operator==(const HistoryMoment&, const HistoryMoment&) = default;
};

struct HistoryRecord {
  uint64_t commit = 0;
  int64_t time_ms = 0;
  ItemView before;  // empty: there was no item
};

// `item_key` is an encoded key with whatever keyspace.
std::string history_key(uint32_t history_keyspace, std::string_view item_key, uint64_t commit);
std::string history_value(int64_t time_ms, ItemView before);

// The key in its table's keyspace, and the part that a record's key and its item's key share.
std::string key_in_keyspace(uint32_t keyspace, std::string_view key);
inline std::string_view without_keyspace(std::string_view item_key) { return item_key.substr(4); }
std::string_view item_part(std::string_view history_key);
uint64_t history_commit(std::string_view history_key);

// Nothing if the bytes are no record.
std::optional<HistoryRecord> read_history_record(std::string_view key, std::string_view value);
std::optional<int64_t> history_time_ms(std::string_view value);

}  // namespace trestle
