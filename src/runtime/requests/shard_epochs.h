// The times of ids, and of the epochs that decide how many shards items are spread over.
#pragma once

#include "runtime/requests/request_parts.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// With epochs, an item's shard is the one of its id's own time. A new epoch begins `lead` after it is set and is
// known to every writer after half of that; so an id that is dated further ahead could be put where nobody will look
// for it.
Outcome<void> check_id_times(const RequestParts& parts, const design::Request& request, const Plain& fields);

// A new epoch of shards begins after the one before it and after every id issued, also where the clock was set
// back since: otherwise ids of that time would be looked for in the shards of the new epoch.
Outcome<void> start_epochs_late(const RequestParts& parts, const design::Request& request, Plain& fields);

}  // namespace trestle::runtime
