// A plausible value of a field that fits its type and its name: a person's name, a domain, a version.
//
// Pure and deterministic: the same request gives the same text on every machine. The text is the value's plain string,
// as key templates take it; sets, lists and maps are written as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

// The moment that samples call now: 2025-10-03T14:00:00Z.
inline constexpr int64_t kSampleNowSeconds = 1'759'500'000;

struct SampleRequest {
  const Design* design = nullptr;  // for types declared in it
  std::string_view entity;
  std::string_view field;
  const FieldType* type = nullptr;
  size_t index = 0;                  // a different value for each
  int64_t at_s = kSampleNowSeconds;  // when the item was written
};

std::string sample_value(const SampleRequest& request);
// The members of a set or list.
std::vector<std::string> sample_members(const SampleRequest& request);
// Members as JSON text, quoted unless they are numbers, bools, or JSON themselves.
std::string json_list(const std::vector<std::string>& members, const FieldType& element);

// "2025-10-03T14:00:00Z", to the resolution of `type` (kTime, kDate, kHour, kEpoch, kMinuteOfDay).
std::string time_value(const FieldType& type, int64_t at_s);
// The time that such text says; nothing if it is none.
std::optional<int64_t> seconds_of(const FieldType& type, std::string_view text);
std::string ulid_value(std::string_view seed, int64_t at_s);

}  // namespace trestle::design
