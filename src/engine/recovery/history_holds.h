// Holds on the history of tables, for jobs that read a table as of a moment (engine/recovery/table_at.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/parts.h"

namespace trestle {

// Waits until every commit of up to this time is finished; later ones have a later time.
void pass_history(ItemParts& parts, int64_t time_ms);
// See Engine::hold_history() and Engine::release_history().
Result<HistoryHold> hold_history(EngineParts& parts, const std::string& table_name, const std::string& owner,
                                 std::optional<int64_t> time_ms, const std::string& table_id = {});
Result<void> release_history(EngineParts& parts, uint32_t hold);
// Releases a hold whose backup or restore could not begin; not if the outcome of that is unknown.
void release_unused(EngineParts& parts, uint32_t hold);

}  // namespace trestle
