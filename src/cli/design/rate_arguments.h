// The rates of operations on the command line: operation=rate, such as submit=10K/month.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "design/language/design.h"
#include "design/language/quantity.h"

namespace trestle::design {

// Reads the rates of operations of the design, in the order of the arguments.
BasicResult<std::vector<std::pair<std::string, Rate>>, std::string> read_rates(
    const Design& design, const std::vector<std::string>& arguments);

}  // namespace trestle::design
