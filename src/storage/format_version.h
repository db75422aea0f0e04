// The version of the on-disk format, in a separate file (FORMAT, "trestle 1\n") that is read before anything else, so
// that a program never misreads data written by a newer version.
#pragma once

#include <string>

#include "model/error.h"

namespace trestle {

inline constexpr int kFormatVersion = 1;

// Writes the file if the folder is new. Fails if the folder has a newer format, or contains files of another program.
Result<void> claim_folder(const std::string& folder);

}  // namespace trestle
