// Ordered key encoding: turns a DynamoDB key into bytes whose memcmp order is the key's order.
//
//   key       := keyspace u32 big endian, partition hash u32 big endian, component*
//   component := string | binary | number, as declared in the key schema; components are concatenated
//   string    := bytes with 00 written as 00 FF, terminated by 00 01     ("a" sorts before "a\0" and "ab")
//   binary    := as string
//   number    := 01                                               zero
//              | 02 exponent pair* 00                             positive: exponent e + 80, each pair + 1
//              | 00 (exponent pair* 00, every bit inverted)       negative
//                the value is 0.p1p2p3... x 100^e with two decimal digits in each pair, p1 > 0
//
// A keyspace is one table or one index; its number is never reused. The hash (upper half of XXH64 of the encoded
// partition components) comes before them, so that partitions spread evenly and a parallel scan's segments are
// contiguous ranges. A table's key has its hash and range components; an index entry's key has the index's components
// followed by the table's, which make it unique. These bytes are on disk: never change a code, only add one. Vectors:
// docs/formats.md, key_encoding_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/table.h"
#include "model/value.h"

namespace trestle {

inline constexpr size_t kKeyPrefixBytes = 8;  // keyspace and hash

// Appends one component. `value` is an S, N or B.
void append_component(std::string& out, ValueView value);
// Appends the bytes with which every component begins whose value begins with the S or B `prefix`.
void append_component_prefix(std::string& out, ValueView prefix);
// Reads a component of the given type from the front of `in`, or returns nothing if the bytes are invalid. Never reads
// beyond `in`.
std::optional<Value> read_component(std::string_view& in, ValueType type);

// The bytes common to a whole partition: keyspace, hash and hash components.
std::string encode_partition(uint32_t keyspace, std::span<const ValueView> hash);

// The partition hash of an encoded key.
uint32_t partition_hash(std::string_view key);

// The encoded key of an item in a table: every key attribute must be present, with the right type.
std::string encode_table_key(uint32_t keyspace, const KeySchema& key, ItemView item);
// The encoded key of an item's entry in an index, or nothing if the item lacks one of the index's attributes.
std::optional<std::string> encode_index_key(uint32_t keyspace, const KeySchema& index_key, const KeySchema& table_key,
                                            ItemView item);

// Keys from begin up to, not including, end.
struct KeyRange {
  std::string begin;
  std::string end;
};

// The smallest key after every key that starts with prefix.
std::string after_prefix(std::string prefix);
KeyRange keyspace_range(uint32_t keyspace);
// Segment `segment` of `total` of a keyspace, by partition hash.
KeyRange segment_range(uint32_t keyspace, uint32_t segment, uint32_t total);

}  // namespace trestle
