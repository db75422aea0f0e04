// Fills the expiry index when time to live is enabled on a table with items.
//
// Once the setting is in the catalog, every write maintains the index. The fill then walks the table in small commits.
// Each commit is made under the locks of its items and includes the cursor, so that a restart continues from there.
// Changing the setting empties the index and starts a new cursor. A fill that finds another cursor than its own stops,
// because a newer fill has replaced it.
#pragma once

#include <cstdint>

#include "engine/parts.h"

namespace trestle {

// Empties a table's expiry index. With `to_fill`, also records that it must be filled.
Result<void> reset_expiry(const TableParts& parts, uint32_t keyspace, bool to_fill);
bool is_filling_expiry(const TableParts& parts, const TableVersion& table);
// Fills a small index now, a large one in the background. Does nothing if the index need not be filled.
void start_expiry_fill(EngineParts& parts, const TableVersion& table);

}  // namespace trestle
