// Weekly time windows: which things the windows of some rows cover at a moment, and until when.
//
//   scheduled(rows, at, zone, names)
//
// A row is a map with a list of windows, a list of things, and optionally a time zone; ScheduleNames says what the
// design calls them. A window belongs to the day on which it starts: 22:00 to 06:00 on FRI ends on Saturday. Without
// days it holds every day; from a time to the same time it lasts a whole day. Its end is exclusive. Windows follow
// local time: in the hour that daylight saving repeats a window holds twice, in the hour that it skips not at all.
// Windows that overlap or touch are merged, also across rows. Pure but for the system's time zones.
#pragma once

#include <string>
#include <string_view>

#include "runtime/values/plain.h"

namespace trestle::runtime {

struct ScheduleNames {
  std::string windows = "windows";
  std::string start = "start";  // of a window: "HH:MM"
  std::string end = "end";
  std::string days = "days";  // of a window: MON to SUN
  std::string zone = "zone";  // of a row: an IANA time zone
  std::string things = "things";
  std::string name = "name";  // of a thing that is a map; a thing may also be a text
};

// The names in a map such as {"windows": "timeWindows"}; what it lacks has the default.
ScheduleNames schedule_names(const Plain& names);

// [{<name>, until}], sorted by name. With an empty `zone` each row's zone applies, or UTC. `until` is null for what has
// no end.
Plain scheduled(const Plain& rows, int64_t at_ms, std::string_view zone, const ScheduleNames& names);

}  // namespace trestle::runtime
