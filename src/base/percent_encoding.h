// Percent-encoding as in URIs and SigV4: letters, digits and "-_.~" are unchanged, other bytes become "%2F".
#pragma once

#include <string>
#include <string_view>

namespace trestle {

// Characters in `unescaped` are also left unchanged, for example "/" in a path.
std::string percent_encode(std::string_view text, std::string_view unescaped = {});
// Text that is not a complete "%XX" is left unchanged.
std::string percent_decode(std::string_view text);

}  // namespace trestle
