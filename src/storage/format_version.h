// The version of everything on disk, in a separate file (FORMAT, "trestle 1\n") that is read before anything else, so
// that a program never misreads data written by a newer one.
#pragma once

#include <string>

#include "model/error.h"

namespace trestle {

inline constexpr int kFormatVersion = 1;

// Writes the file into a new folder; refuses a folder of a newer version, or of something that is not Trestle's.
Result<void> claim_folder(const std::string& folder);

}  // namespace trestle
