// Times as text in UTC. Pure.
#pragma once

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdint>
#include <ctime>
#include <string>

namespace trestle {

// "2026-01-31T12:00:00Z", as in policies and in DynamoDB's messages.
inline std::string utc_text(int64_t ms) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(ms / 1000)));
}

// "2026-01-31T12:00:00.123Z"
inline std::string utc_text_ms(int64_t ms) {
  std::string text = utc_text(ms);
  text.insert(text.size() - 1, fmt::format(".{:03}", ms % 1000));
  return text;
}

}  // namespace trestle
