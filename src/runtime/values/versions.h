// The order of versions, by Semantic Versioning 2.0.0, section 11. Pure.
//
// Parts that are missing count as 0 and a leading `v` is passed over, so that 1.2 is 1.2.0 and v2.0.0 is 2.0.0. What
// stands behind `+` does not count. A part that is no number is compared as text and is greater than a number.
#pragma once

#include <string_view>

namespace trestle::runtime {

// Less than 0, 0 or more than 0: as a is to b.
int compare_versions(std::string_view a, std::string_view b);

}  // namespace trestle::runtime
