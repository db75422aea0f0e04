// Frees the keyspaces of deleted tables, indexes, histories and backups.
#pragma once

#include "engine/parts.h"

namespace trestle {

// Starts freeing dropped keyspaces in the background, if there are any.
void start_freeing(EngineParts& parts);

}  // namespace trestle
