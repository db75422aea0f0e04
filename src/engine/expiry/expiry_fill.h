// Fills the expiry index when a table with items gets time to live.
//
// From the moment the setting is in the catalog, every write maintains the index. The fill then walks the table in
// small commits, each under the locks of its items and with its cursor, so that a restart continues from there. A
// change of the setting starts with an empty index and a new cursor: a fill that finds a cursor other than its own
// leaves the work to its successor.
#pragma once

#include <cstdint>

#include "engine/parts.h"

namespace trestle {

// Empties a table's expiry index. `to_fill`: and notes that it is to be filled.
Result<void> reset_expiry(const TableParts& parts, uint32_t keyspace, bool to_fill);
bool is_filling_expiry(const TableParts& parts, const TableVersion& table);
// Fills a small index now, a large one in the background; nothing if it is not to be filled.
void start_expiry_fill(EngineParts& parts, const TableVersion& table);

}  // namespace trestle
