// The command line of `trestle design`.
#pragma once

#include <CLI/App.hpp>

namespace trestle::design {

// Adds the subcommand `design` to a program. If it is selected, parsing the command line runs it and sets
// `exit_status`, which must outlive the parsing.
void add_design_command(CLI::App& app, int& exit_status);

}  // namespace trestle::design
