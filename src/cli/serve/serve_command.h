// `trestle serve`: opens the store and serves requests until a signal stops it.
#pragma once

#include <CLI/App.hpp>

namespace trestle {

// Adds the command to the program. If it is selected, it runs until it is stopped and sets exit_status.
void add_serve_command(CLI::App& app, int& exit_status);

}  // namespace trestle
