// The program `trestle`: its subcommands, and what all of them have in common.
//
//   trestle                   help
//   trestle help [COMMAND]    the same as --help
//   trestle version           the same as --version
//
// A flag that is not on the command line is taken from the environment (TRESTLE_SERVE_PORT for `serve --port`), and
// else from the file that --config names (cli/settings.h). Wrong names of commands and flags are refused with the
// nearest right one.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

namespace trestle {

// Runs the program and returns its exit status.
int run_program(int argc, const char* const* argv);

// Adds every subcommand. Parsing the command line runs the one that was asked for and sets `exit_status`, which must
// outlive the parsing.
void add_commands(CLI::App& app, int& exit_status);

// The subcommand that the words of a command line select, and where its own words begin.
struct SelectedCommand {
  CLI::App* app = nullptr;
  size_t first = 0;
};
SelectedCommand selected_command(CLI::App& app, const std::vector<std::string>& words);

// What is wrong with the names of subcommands and flags, with the nearest right name; nothing if all are known.
std::optional<std::string> unknown_name(CLI::App& app, const std::vector<std::string>& words);

}  // namespace trestle
