// An index of items by expiry time, so that time to live finds expired items without reading the others.
//
//   kExpiry keys: keyspace u32 big endian, seconds u64 big endian, the item's encoded table key -> ""
//                 keyspace u32 big endian -> encoded table key: the index is being filled, and done up to that key
//
// In a table with time to live, an item has an entry if its attribute is a Number that is not negative and fits into
// the entry; `seconds` is the value rounded down to whole seconds. ItemChanges writes entries in the commit of the item
// itself. An entry is a hint: before acting on it, read the item again under its lock. These bytes are on disk: never
// change a code, only add one. Vectors: docs/formats.md, expiry_index_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/table.h"
#include "storage/store.h"

namespace trestle {

// DynamoDB does not delete items that expired longer ago than this.
inline constexpr uint64_t kExpirySecondsBackMax = uint64_t{5} * 365 * 24 * 3600;

// When the item expires, in seconds since 1970, or nothing if it does not expire.
std::optional<uint64_t> expiry_seconds(ItemView item, std::string_view ttl_attribute);
// Whether an item that expires at `seconds` is due for deletion at `now`, also in seconds.
inline bool is_expired(uint64_t seconds, uint64_t now) {
  return seconds <= now && seconds + kExpirySecondsBackMax >= now;
}

std::string expiry_key(uint32_t keyspace, uint64_t seconds, std::string_view item_key);
std::string expiry_filling_key(uint32_t keyspace);
// The table key and the seconds in an entry's key.
std::string_view item_key_of(std::string_view expiry_key);
uint64_t seconds_of(std::string_view expiry_key);

// The entries from second `from` up to, not including, second `until`.
KeyRange expiry_range(uint32_t keyspace, uint64_t from, uint64_t until);
// All entries of a table, including the record of its fill.
KeyRange expiry_range(uint32_t keyspace);

// Adds to the batch the changes of index entries when item `before` becomes `after`; either may be empty. The table
// must have time to live. Returns the seconds of the new entry, if there is one.
std::optional<uint64_t> change_expiry(const TableDescription& table, std::string_view item_key, ItemView before,
                                      ItemView after, Batch& batch);

}  // namespace trestle
