// Whether an item's key fits its table: present, of the right type, not empty, not too long. In DynamoDB's words, which
// differ between a whole item (PutItem) and a bare key (GetItem and its like).
#pragma once

#include "model/error.h"
#include "model/table.h"

namespace trestle {

// PutItem: the item has the table's key, and no attribute that is an index key has a wrong type.
Result<void> check_item(const TableDescription& table, ItemView item);
// BatchWriteItem's put: the same with the words of a bare key for the table's own key.
Result<void> check_batch_item(const TableDescription& table, ItemView item);
// No key attribute of the table or of an index is empty: what a transaction refuses before it begins. Other faults of
// keys are for the functions above.
Result<void> check_no_empty_key(const TableDescription& table, ItemView item);
// The same for the index keys of an item that an update has made, in the words of an update.
Result<void> check_no_empty_index_key(const TableDescription& table, ItemView updated);
// GetItem, DeleteItem, UpdateItem: exactly the table's key attributes.
Result<void> check_key(const TableDescription& table, ItemView key);
// Attributes that are index keys have the right types and sizes. `updating`: in the words of UpdateItem.
Result<void> check_index_keys(const TableDescription& table, ItemView item, bool updating);

// Key attributes are scalars, so an expression's path may not lead into one. `nested`: attributes that start such paths.
Result<void> check_nested_paths(const TableDescription& table, const std::vector<std::string_view>& nested);

// The key attributes of an item, alone.
Item key_of(const KeySchema& key, ItemView item);
// The key attributes of an item in an index: the index's and the table's.
Item index_key_of(const KeySchema& index_key, const KeySchema& table_key, ItemView item);

}  // namespace trestle
