// IANA time zones, from the system's tzdata (docs/decisions/0008-time-zones.md). Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace trestle::runtime {

// Whether the name is that of a time zone, such as "Europe/Berlin" or "UTC". Case-sensitive.
bool is_time_zone(std::string_view name);

// A stretch of time with one offset from UTC.
struct ZoneStretch {
  int64_t begin_ms = 0;
  int64_t end_ms = 0;     // exclusive
  int64_t offset_ms = 0;  // local time is UTC plus this
};
// Calls `visit` for every stretch that overlaps [from_ms, to_ms), in order and clipped to it. False if there is no such
// zone.
bool each_stretch(std::string_view zone, int64_t from_ms, int64_t to_ms, const std::function<void(ZoneStretch)>& visit);

}  // namespace trestle::runtime
