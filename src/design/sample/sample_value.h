// A plausible value for a field, chosen by its type and its name: a person's name, a domain, a version.
//
// Pure and deterministic: the same request gives the same text on every machine. The text is the plain string that key
// templates use; sets, lists and maps are JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

// The time that samples use as the present: 2025-10-03T14:00:00Z.
inline constexpr int64_t kSampleNowSeconds = 1'759'500'000;

struct SampleRequest {
  const Design* design = nullptr;  // for types declared in the design
  std::string_view entity;
  std::string_view field;
  const FieldType* type = nullptr;
  size_t index = 0;                  // different indexes give different values
  int64_t at_s = kSampleNowSeconds;  // when the item was written
};

std::string sample_value(const SampleRequest& request);
// The members of a set or list.
std::vector<std::string> sample_members(const SampleRequest& request);
// The members as JSON text; each is quoted unless it is a number, a bool or JSON itself.
std::string json_list(const std::vector<std::string>& members, const FieldType& element);

// "2025-10-03T14:00:00Z", at the resolution of `type` (kTime, kDate, kHour, kEpoch, kMinuteOfDay).
std::string time_value(const FieldType& type, int64_t at_s);
// Parses such text; nothing if it is not a time of that type.
std::optional<int64_t> seconds_of(const FieldType& type, std::string_view text);
std::string ulid_value(std::string_view seed, int64_t at_s);

}  // namespace trestle::design
