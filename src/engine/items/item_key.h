// Checks that an item's key fits its table: present, of the right type, not empty, not too long. Errors are DynamoDB's,
// which differ between a whole item (PutItem) and a bare key (GetItem, for example).
#pragma once

#include <string_view>
#include <vector>

#include "expression/update/update.h"
#include "model/error.h"
#include "model/table.h"

namespace trestle {

// PutItem: checks that the item has the table's key, and that no index key attribute has a wrong type.
Result<void> check_item(const TableDescription& table, ItemView item);
// BatchWriteItem's put: the same, but errors in the table's key have the messages for a bare key.
Result<void> check_batch_item(const TableDescription& table, ItemView item);
// Checks that no key attribute of the table or of an index is empty. A transaction rejects such a key before it begins.
Result<void> check_no_empty_key(const TableDescription& table, ItemView item);
// GetItem, DeleteItem, UpdateItem: checks that `key` consists of exactly the table's key attributes.
Result<void> check_key(const TableDescription& table, ItemView key);

// Checks that an update does not write the table's key.
Result<void> check_key_not_updated(const TableDescription& table, const Update& update);
// Checks the types of index keys that an update writes, as far as the request determines them, before the item is read.
Result<void> check_written_index_types(const TableDescription& table, const Update& update);
// Checks that the index keys written by an update have the right types and are neither empty nor too long. Attributes
// that the update did not write may be anything: if the index was added later, it does not contain the item.
Result<void> check_updated_index_keys(const TableDescription& table, const Update& update, ItemView updated);
// Checks only that none of those index keys is empty.
Result<void> check_no_empty_updated_key(const TableDescription& table, const Update& update, ItemView updated);

// For an update that creates an item: checks that the key attributes that are also index keys are not too long for
// that.
Result<void> check_new_key(const TableDescription& table, ItemView key);

// The errors of a value that is not of the type of an index key, or is empty.
std::unexpected<Error> index_type_mismatch(std::string_view index, const KeyAttribute& attribute, ValueType actual);
std::unexpected<Error> empty_index_key(std::string_view index, const KeyAttribute& attribute, ValueView value);

// Whether the encoded keys of a request contain the same item twice.
bool has_duplicates(std::vector<std::string_view> keys);
// Rejects a batch with such keys.
Result<void> check_batch_keys(std::vector<std::string_view> keys);

// Whether the item has the key attributes of an index, with the right types, not empty and not too long.
bool belongs_in_index(const KeySchema& index_key, ItemView item);

// Checks that no path of an expression leads into a key attribute, which is a scalar. `nested` are the attributes at
// the start of nested paths.
Result<void> check_nested_paths(const TableDescription& table, const std::vector<std::string_view>& nested);

// Only the key attributes of an item.
Item key_of(const KeySchema& key, ItemView item);
// The key attributes of an item in an index: those of the index and those of the table.
Item index_key_of(const KeySchema& index_key, const KeySchema& table_key, ItemView item);

}  // namespace trestle
