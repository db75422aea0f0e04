// Recounts tables: their items and bytes after an unclean shutdown, and their sizes after a change of vector indexes.
// Counts the backup of a table that was deleted before its recount had ended.
#pragma once

#include <memory>

#include "engine/parts.h"

namespace trestle {

// Recounts all tables in the background.
void recount(EngineParts& parts);
// Recounts the size of a table if its vector indexes have changed. No write of the table may be in progress.
void resize(EngineParts& parts, const std::shared_ptr<const TableVersion>& before,
            const std::shared_ptr<const TableVersion>& after);

// Counts the items of the backups of deleted tables whose counts were not exact yet.
void recount_backups(EngineParts& parts);

}  // namespace trestle
