// Items by expiry time, so that time to live finds expired items without reading the others.
//
//   kExpiry keys: keyspace u32 big endian, seconds u64 big endian, the item's encoded table key -> ""
//                 keyspace u32 big endian -> encoded table key: the index is being filled, and done up to that key
//
// Every item of a table with time to live has an entry if its attribute is a Number that is not negative and fits;
// seconds are the whole seconds of its value. ItemChanges writes entries in the commit of the item itself. An entry is
// a hint: before acting on it, read the item again under its lock. These bytes are on disk: never change a code, add
// one. Vectors: docs/formats.md, expiry_index_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/table.h"
#include "storage/store.h"

namespace trestle {

// DynamoDB leaves items alone whose time is further back than this.
inline constexpr uint64_t kExpirySecondsBackMax = uint64_t{5} * 365 * 24 * 3600;

// When the item expires, in seconds since 1970; nothing if it does not.
std::optional<uint64_t> expiry_seconds(ItemView item, std::string_view ttl_attribute);
// Whether an item with that expiry is due at `now`, also in seconds.
inline bool is_expired(uint64_t seconds, uint64_t now) {
  return seconds <= now && seconds + kExpirySecondsBackMax >= now;
}

std::string expiry_key(uint32_t keyspace, uint64_t seconds, std::string_view item_key);
std::string expiry_filling_key(uint32_t keyspace);
// The table key in an entry's key, and its seconds.
std::string_view item_key_of(std::string_view expiry_key);
uint64_t seconds_of(std::string_view expiry_key);

// Entries from one second up to, not including, another.
KeyRange expiry_range(uint32_t keyspace, uint64_t from, uint64_t until);
// Everything of a table, the note of its filling too.
KeyRange expiry_range(uint32_t keyspace);

// Adds the changes of the index entries to the batch when `before` becomes `after`; either may be empty. The table must
// have time to live. Returns the seconds of a new entry.
std::optional<uint64_t> change_expiry(const TableDescription& table, std::string_view item_key, ItemView before,
                                      ItemView after, Batch& batch);

}  // namespace trestle
