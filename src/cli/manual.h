// `trestle manual`: the manual page trestle(1), written from the declarations that --help shows.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace trestle {

// In roff, for `man -l` and packages.
std::string manual_page(const CLI::App& app);

void add_manual_command(CLI::App& app);

}  // namespace trestle
