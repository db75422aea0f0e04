// Times in policies: "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+01:00", "2026-01-31", or seconds since 1970.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace trestle {

std::optional<int64_t> read_moment_ms(std::string_view text);

}  // namespace trestle
