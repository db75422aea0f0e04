// Reads flags from the environment and from a file.
//
// A file has one flag per line, without its dashes; a flag that may be repeated may have several lines:
//
//   # comment
//   port = 9000
//   memory-store = true
//   cors = https://a.example.com
//   cors = https://b.example.com
//
// The environment variable of a flag is TRESTLE_, its command and its name in upper case with underscores:
// TRESTLE_SERVE_PORT. Several values of one flag are separated by commas. The command line takes precedence over the
// environment, and the environment over the file.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace trestle {

// The environment variable of a flag: (serve, --cache-mb) is TRESTLE_SERVE_CACHE_MB.
std::string variable_name(const CLI::App& command, std::string_view flag);

// Arguments for the flags of `command` that are not in `words` but in the environment.
std::vector<std::string> arguments_from_environment(const CLI::App& command, const std::vector<std::string>& words,
                                                    const std::function<const char*(const std::string&)>& variable);

// Arguments for the flags of `command` that are not in `words` but in `text`. Rejects unknown names and malformed
// lines, with the line number.
BasicResult<std::vector<std::string>, std::string> arguments_from_file(const CLI::App& command,
                                                                       const std::vector<std::string>& words,
                                                                       std::string_view text);

// Removes `--config FILE` from the words, if present, and returns the file.
std::optional<std::string> take_config_file(std::vector<std::string>& words);

}  // namespace trestle
