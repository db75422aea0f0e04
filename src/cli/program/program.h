// The program `trestle`: its subcommands and what they have in common.
//
//   trestle                   help
//   trestle help [COMMAND]    the same as --help
//   trestle version           the same as --version
//
// A flag that is not on the command line is taken from the environment (TRESTLE_SERVE_PORT for `serve --port`), or else
// from the file that --config names (cli/program/settings.h). Unknown commands and flags are rejected with a suggestion
// of the closest known name.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

namespace trestle {

// Runs the program and returns its exit status.
int run_program(int argc, const char* const* argv);

// Adds every subcommand. Parsing the command line runs the selected one and sets `exit_status`, which must outlive the
// parsing.
void add_commands(CLI::App& app, int& exit_status);

// The subcommand that a command line selects, and the index where its own arguments begin.
struct SelectedCommand {
  CLI::App* app = nullptr;
  size_t first = 0;
};
SelectedCommand selected_command(CLI::App& app, const std::vector<std::string>& words);

// An error about the first unknown subcommand or flag, with the closest known name; nullopt if all are known.
std::optional<std::string> unknown_name(CLI::App& app, const std::vector<std::string>& words);

}  // namespace trestle
