// An item's entry in a vector index: the vector in 32 bits, and the attributes that the index projects.
//
//   key   := keyspace, hash, [component of the HASH attribute], components of the table's key (storage/key_encoding.h)
//   value := one float32, little endian, for each dimension; then the packed item of the projected attributes, among
//            them the table's key and the search schema's, and never the vector
//
// The hash is that of the HASH attribute, so that a partition of the index is a contiguous range of keys; without a
// HASH attribute it is that of the table's partition. Entries are in Space::kItems. These bytes are on disk: never
// change a code, only add one. Vectors: docs/formats.md, vector_entry_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/table.h"

namespace trestle {

// Converts a list of exactly `dimensions` numbers that fit into 32 bits. Returns nothing for any other value.
std::optional<std::vector<float>> vector_of(ValueView value, int64_t dimensions);
// Converts a number to 32 bits. Returns nothing if it is too large for that, or not a number.
std::optional<float> float_of(ValueView value);
// The vector as the API returns it: each number as its shortest decimal representation.
Value vector_value(std::span<const float> vector);

struct VectorEntry {
  std::string key;
  std::string value;
  size_t size_bytes = 0;  // by DynamoDB's rules: the projected attributes, and four bytes for each dimension
};
// Returns nothing if the item does not belong in the index, because it has no vector or lacks the HASH attribute. An
// empty `item` means that there is none.
std::optional<VectorEntry> vector_entry(const TableDescription& table, const VectorIndexDescription& index,
                                        ItemView item);

// The parts of an entry's value.
std::vector<float> entry_vector(const VectorIndexDescription& index, std::string_view value);
ItemView entry_item(const VectorIndexDescription& index, std::string_view value);
size_t entry_size_bytes(const VectorIndexDescription& index, std::string_view value);
// The common prefix of all keys of an entry's partition. Empty if the index has no HASH attribute.
std::string entry_partition(const VectorIndexDescription& index, std::string_view key);
std::string entry_partition(const VectorIndexDescription& index, ValueView hash);

// Each search and each write of an entry counts as at least this many bytes.
inline constexpr double kVectorRequestBytesMin = 1024;

// The change of one index that follows from the change of an item. Unchanged entries are omitted.
struct VectorChange {
  size_t index = 0;  // in TableDescription::vector_indexes
  std::optional<std::string> erase;
  std::optional<VectorEntry> put;
  double request_bytes = 0;  // VectorWriteRequestBytes
  int64_t items_change = 0;
  int64_t bytes_change = 0;
};
std::vector<VectorChange> vector_delta(const TableDescription& table, ItemView before, ItemView after);

// Checks that an item's vectors fit the indexes and that its search attributes have the right types. Errors are
// DynamoDB's. With `written` (sorted), only these attributes are checked.
Result<void> check_vectors(const TableDescription& table, ItemView item,
                           const std::vector<std::string_view>* written = nullptr);

// Checks that no HASH attribute is empty.
Result<void> check_no_empty_search_key(const TableDescription& table, ItemView item);

// The item's size for capacity units and table size. An indexed vector counts as four bytes for each dimension,
// regardless of its values.
size_t billed_bytes(const TableDescription& table, ItemView item);

}  // namespace trestle
