// Finds the design files that `--design` names. Reads only the listings of folders.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace trestle {

// The files in the order of `paths`; for a folder, its *.yaml files sorted by name. Fails if a folder has none. A path
// that does not exist is returned unchanged.
BasicResult<std::vector<std::string>, std::string> design_files(const std::vector<std::string>& paths);

}  // namespace trestle
