// Output files of the `trestle design` commands.
#pragma once

#include <string>
#include <string_view>

namespace trestle::design {

// Writes to a file, or to standard output if `path` is empty. If that fails, reports it on standard error and returns
// false.
bool write_text_file(const std::string& path, std::string_view text);

}  // namespace trestle::design
