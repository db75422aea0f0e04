// `trestle completion bash|zsh|fish`: a script that completes commands and flags, generated from their declarations.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>

namespace trestle {

// The script for one shell; empty if the shell is unknown.
std::string completion_script(const CLI::App& app, std::string_view shell);

void add_completion_command(CLI::App& app);

}  // namespace trestle
