// Percent-encoding, as URIs and SigV4 have it: letters, digits and "-_.~" stay, other bytes become "%2F".
#pragma once

#include <string>
#include <string_view>

namespace trestle {

// Characters of `unescaped` stay too: "/" in a path.
std::string percent_encode(std::string_view text, std::string_view unescaped = {});
// What is not a whole "%XX" stays as it is.
std::string percent_decode(std::string_view text);

}  // namespace trestle
