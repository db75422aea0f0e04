// Counts tables again: their items and bytes after an unclean end, their size after a change of vector indexes.
#pragma once

#include <memory>

#include "engine/parts.h"

namespace trestle {

// Counts all tables, in the background.
void recount(EngineParts& parts);
// Counts the size of a table again if its vector indexes have changed. While no write of it is under way.
void resize(EngineParts& parts, const std::shared_ptr<const TableVersion>& before,
            const std::shared_ptr<const TableVersion>& after);

}  // namespace trestle
