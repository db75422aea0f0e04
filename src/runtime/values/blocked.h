// Which applications a child's policies block at a moment, and until when: `blocked(policies, at, zone)`.
//
// A policy is a map with blockedApps [{appName}], timeWindows [{startTime, endTime, days}], timezone and status; one
// whose status is not "active" blocks nothing. A window belongs to the day on which it starts: 22:00 to 06:00 on FRI
// ends on Saturday; without days it is every day's; from a time to the same time it lasts a whole day. Its end is
// exclusive. A window means what the clock on the wall says: in the hour that daylight saving repeats it holds both
// times, in the one that is skipped not at all. Windows and policies that overlap or touch are one, to the last end.
// Pure but for the system's time zones.
#pragma once

#include <string_view>

#include "runtime/values/plain.h"

namespace trestle::runtime {

// [{appName, until}], sorted by appName. `zone` empty: each policy's own, or UTC. `until` is null for what has no end.
Plain blocked(const Plain& policies, int64_t at_ms, std::string_view zone);

}  // namespace trestle::runtime
