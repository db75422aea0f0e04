// `trestle serve`: opens the store and serves requests until it is signalled to stop.
#pragma once

#include <CLI/App.hpp>

namespace trestle {

// Adds the command to the program. When it is chosen, it runs to its end and sets exit_status.
void add_serve_command(CLI::App& app, int& exit_status);

}  // namespace trestle
