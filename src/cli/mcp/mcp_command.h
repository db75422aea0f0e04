// `trestle mcp`: a Model Context Protocol server on standard input and output.
#pragma once

#include <CLI/App.hpp>

namespace trestle::mcp {

// Adds the command to the program. If it is selected, it serves until its input ends and sets exit_status.
void add_mcp_command(CLI::App& app, int& exit_status);

}  // namespace trestle::mcp
