// Whole files, for the commands of `trestle design`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trestle::design {

// Nothing if it cannot be read.
std::optional<std::string> read_text_file(const std::string& path);
// To a file, or to standard output when `path` is empty. False, after saying so on standard error, if it cannot be
// written.
bool write_text_file(const std::string& path, std::string_view text);

}  // namespace trestle::design
