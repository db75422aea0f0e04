// Where prices are found: beside a design, in the source tree, or where the program is installed.
#pragma once

#include <optional>
#include <string>

#include "design/prices.h"

namespace trestle::design {

struct PriceSearch {
  std::string region;       // us-east-1
  std::string file;         // this file and no other; empty: the region's
  std::string design_file;  // prices/ beside it or beside its folder come first
};

// Nothing, and why in `wrong`, if there are none or they cannot be read.
// After the design's own: designs/prices, ../share/trestle/prices of the running program, /usr/share/trestle/prices.
std::optional<Prices> find_prices(const PriceSearch& search, std::string& wrong);

}  // namespace trestle::design
