// Checks that an item's key fits its table: present, of the right type, not empty, not too long. In DynamoDB's words,
// which differ between a whole item (PutItem) and a bare key (GetItem, for example).
#pragma once

#include "expression/update/update.h"
#include "model/error.h"
#include "model/table.h"

namespace trestle {

// PutItem: the item has the table's key, and no attribute that is an index key has a wrong type.
Result<void> check_item(const TableDescription& table, ItemView item);
// BatchWriteItem's put: the same with the words of a bare key for the table's own key.
Result<void> check_batch_item(const TableDescription& table, ItemView item);
// Checks that no key attribute of the table or of an index is empty, which a transaction rejects before it begins. The
// functions above find other faults of keys.
Result<void> check_no_empty_key(const TableDescription& table, ItemView item);
// GetItem, DeleteItem, UpdateItem: exactly the table's key attributes.
Result<void> check_key(const TableDescription& table, ItemView key);

// Checks the types of index keys that an update writes, as far as the request determines them, before the item is read.
Result<void> check_written_index_types(const TableDescription& table, const Update& update);
// The index keys that an update has written are of the right types, not empty and not too long. Those it has not
// touched may be anything: the index was added later, and does not have the item.
Result<void> check_updated_index_keys(const TableDescription& table, const Update& update, ItemView updated);
// Checks that none of them is empty.
Result<void> check_no_empty_updated_key(const TableDescription& table, const Update& update, ItemView updated);

// A key under which an update makes an item is not too long where it is part of an index's key as well.
Result<void> check_new_key(const TableDescription& table, ItemView key);

// Whether the item has the key attributes of an index: of the right types, not empty, not too long.
bool belongs_in_index(const KeySchema& index_key, ItemView item);

// Key attributes are scalars, so an expression's path may not lead into one. `nested`: attributes that start such
// paths.
Result<void> check_nested_paths(const TableDescription& table, const std::vector<std::string_view>& nested);

// The key attributes of an item, alone.
Item key_of(const KeySchema& key, ItemView item);
// The key attributes of an item in an index: the index's and the table's.
Item index_key_of(const KeySchema& index_key, const KeySchema& table_key, ItemView item);

}  // namespace trestle
