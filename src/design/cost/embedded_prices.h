// The price files of designs/prices, compiled into the program so that `design cost` works in any folder.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace trestle::design {

// Pairs of a region and the text of its price file.
const std::vector<std::pair<std::string_view, std::string_view>>& embedded_prices();

}  // namespace trestle::design
