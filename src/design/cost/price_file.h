// Finds prices: in a file that the caller names, next to the design, or embedded in the program.
#pragma once

#include <optional>
#include <string>

#include "design/cost/prices.h"

namespace trestle::design {

struct PriceSearch {
  std::string region;       // us-east-1
  std::string file;         // if not empty, only this file is used
  std::string design_file;  // prices/REGION.json next to this file takes precedence over the embedded prices
};

// Nothing, with the reason in `wrong`, if there are no prices or they cannot be read.
std::optional<Prices> find_prices(const PriceSearch& search, std::string& wrong);

}  // namespace trestle::design
