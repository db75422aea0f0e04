// Reads a whole file named by a user. Never throws, even if the path is not a regular file.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace trestle {

inline constexpr size_t kReadFileBytesMax = size_t{64} << 20;

// The error is a sentence that names the file and the problem: the file is missing, a folder, not readable, or larger
// than `bytes_max`. Pipes and devices are read until they end.
BasicResult<std::string, std::string> read_file(const std::string& path, size_t bytes_max = kReadFileBytesMax);

}  // namespace trestle
