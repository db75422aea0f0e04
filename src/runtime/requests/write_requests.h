// Converts write actions to requests of the Database.
#pragma once

#include <vector>

#include "model/database.h"
#include "runtime/requests/write_action.h"

namespace trestle::runtime {

// `returns_item`: the response contains the new item, or for a deletion the old one.
PutItemRequest put_request(const WriteAction& action);
UpdateItemRequest update_request(const WriteAction& action, bool returns_item);
DeleteItemRequest delete_request(const WriteAction& action, bool returns_item);
TransactWriteItemsRequest transact_request(const std::vector<WriteAction>& actions);

}  // namespace trestle::runtime
