// The order of versions by Semantic Versioning 2.0.0, section 11. Pure.
//
// Missing parts count as 0 and a leading `v` is ignored, so 1.2 equals 1.2.0 and v2.0.0 equals 2.0.0. Everything after
// `+` is ignored. A part that is not a number is compared as text and is greater than any number.
#pragma once

#include <string_view>

namespace trestle::runtime {

// Less than, equal to or greater than 0, as a is less than, equal to or greater than b.
int compare_versions(std::string_view a, std::string_view b);

}  // namespace trestle::runtime
