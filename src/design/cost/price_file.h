// Where prices are found: in a file that the caller names, beside the design, or in the program itself.
#pragma once

#include <optional>
#include <string>

#include "design/cost/prices.h"

namespace trestle::design {

struct PriceSearch {
  std::string region;       // us-east-1
  std::string file;         // this file and no other; empty: the region's
  std::string design_file;  // prices/REGION.json beside it comes before what is built in
};

// Nothing, and why in `wrong`, if there are none or they cannot be read.
std::optional<Prices> find_prices(const PriceSearch& search, std::string& wrong);

}  // namespace trestle::design
