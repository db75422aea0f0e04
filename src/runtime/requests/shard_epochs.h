// The times in ids, and the start times of epochs. An epoch determines the number of shards for the items of its time.
#pragma once

#include "runtime/requests/request_parts.h"
#include "runtime/values/refusal.h"

namespace trestle::runtime {

// Refuses (400) ids that are dated too far in the future. With epochs, an item's shard is determined by the time in its
// id. A new epoch begins `lead` after it is set, and every writer knows it after half of that; an item whose id is
// dated further ahead could be put into a shard in which readers do not look for it.
Outcome<void> check_id_times(const RequestParts& parts, const design::Request& request, const Plain& fields);

// Moves the start of a new epoch after the previous epoch and after every id issued so far, which may be in the future
// if the clock was set back. Otherwise items with such ids would be looked for in the shards of the new epoch.
Outcome<void> start_epochs_late(const RequestParts& parts, const design::Request& request, Plain& fields);

}  // namespace trestle::runtime
