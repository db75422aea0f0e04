// What commands write, for the commands of `trestle design`.
#pragma once

#include <string>
#include <string_view>

namespace trestle::design {

// To a file, or to standard output when `path` is empty. False, after saying so on standard error, if it cannot be
// written.
bool write_text_file(const std::string& path, std::string_view text);

}  // namespace trestle::design
