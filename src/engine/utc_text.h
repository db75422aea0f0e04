// Formats a time as in DynamoDB's messages about backups and exports: "2026-01-31T12:00:00Z". Pure.
#pragma once

#include <fmt/chrono.h>

#include <cstdint>
#include <string>

namespace trestle {

inline std::string utc_text(int64_t ms) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(ms / 1000)));
}

}  // namespace trestle
