// Recounts tables: their items and bytes after an unclean shutdown, and their sizes after a change of vector indexes.
#pragma once

#include <memory>

#include "engine/parts.h"

namespace trestle {

// Recounts all tables in the background.
void recount(EngineParts& parts);
// Recounts the size of a table if its vector indexes have changed. No write of the table may be in progress.
void resize(EngineParts& parts, const std::shared_ptr<const TableVersion>& before,
            const std::shared_ptr<const TableVersion>& after);

}  // namespace trestle
