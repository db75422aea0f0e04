// Holds on the history of tables, for jobs that read a table as of a moment (engine/recovery/table_at.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/parts.h"

namespace trestle {

// Waits until every commit with at most this time is finished. Commits that begin afterwards have a later time.
void pass_history(ItemParts& parts, int64_t time_ms);
// See Engine::hold_history() and Engine::release_history().
Result<HistoryHold> hold_history(EngineParts& parts, const std::string& table_name, const std::string& owner,
                                 std::optional<int64_t> time_ms, const std::string& table_id = {});
Result<void> release_history(EngineParts& parts, uint32_t hold);
// Releases a hold after its backup or restore failed to begin. Keeps it if the backup or restore exists after all,
// which is possible if the outcome was unknown.
void release_unused(EngineParts& parts, uint32_t hold);

}  // namespace trestle
