// The command line of `trestle bench`.
#pragma once

#include <CLI/App.hpp>

namespace trestle::bench {

// Adds the subcommand `bench` to a program. If it is selected, parsing the command line runs it and sets `exit_status`,
// which must outlive the parsing.
void add_bench_command(CLI::App& app, int& exit_status);

}  // namespace trestle::bench
