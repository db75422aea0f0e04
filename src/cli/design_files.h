#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace trestle {

// The files that --design names; for a folder, its *.yaml files sorted by name.
BasicResult<std::vector<std::string>, std::string> design_files(const std::vector<std::string>& paths);

}  // namespace trestle
