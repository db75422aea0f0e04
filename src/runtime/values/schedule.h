// Weekly time windows: which things are covered by the windows of some rows at a given time, and until when.
//
//   scheduled(rows, at, zone, names)
//
// A row is a map with a list of windows, a list of things, and optionally a time zone; ScheduleNames has the member
// names that the design uses. A window belongs to the day on which it starts: 22:00 to 06:00 on FRI ends on Saturday.
// Without days it applies every day; if its start equals its end, it lasts a whole day. The end is exclusive. Windows
// follow local time: in the hour that daylight saving repeats, a window applies twice; in the hour that it skips, not
// at all. Windows that overlap or touch are merged, also across rows. Pure, except for the system's time zones.
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

// The names from a map such as {"windows": "timeWindows"}; missing members have the default.
ScheduleNames schedule_names(const Plain& names);

// [{<name>, until}], sorted by name. If `zone` is empty, each row's own zone applies, or UTC. `until` is null for a
// thing that is covered without end.
Plain scheduled(const Plain& rows, int64_t at_ms, std::string_view zone, const ScheduleNames& names);

}  // namespace trestle::runtime
