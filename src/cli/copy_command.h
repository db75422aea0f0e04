// The command line of `trestle copy`.
#pragma once

#include <CLI/App.hpp>

namespace trestle::copy {

// Adds the subcommand `copy` to a program. If it is selected, parsing the command line runs it and sets `exit_status`,
// which must outlive the parsing.
void add_copy_command(CLI::App& app, int& exit_status);

}  // namespace trestle::copy
