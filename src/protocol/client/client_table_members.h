// Parts of table descriptions that several responses share.
#pragma once

#include "model/table_requests.h"
#include "protocol/client/client_input.h"
#include "protocol/json/json_input.h"

namespace trestle {

// Local or global indexes, which are added to others in the order of TableDescription::indexes. Backups describe them
// in less detail.
Result<void> take_indexes(JsonElement json, bool global, std::vector<IndexDescription>& out);
inline auto into_indexes(std::string_view name, bool global, std::vector<IndexDescription>& out) {
  return into(name, [&out, global](JsonElement json) { return take_indexes(json, global, out); });
}

// A stream that is disabled, or a key whose use has ended, is described but not enabled.
Result<void> take_stream(JsonElement json, TableDescription& table);
Result<void> take_sse(JsonElement json, SseSpecification& sse);

}  // namespace trestle
