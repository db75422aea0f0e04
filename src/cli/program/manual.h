// `trestle manual`: the manual page trestle(1), generated from the same declarations as --help.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace trestle {

// The page in roff, for `man -l` and packages.
std::string manual_page(const CLI::App& app);

void add_manual_command(CLI::App& app);

}  // namespace trestle
