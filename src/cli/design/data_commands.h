// `trestle design call | load | status | retry | verify`: the commands that work on a design's data and therefore need
// a Database.
#pragma once

#include <CLI/App.hpp>

namespace trestle {

// Adds them to the command `design`.
void add_design_data_commands(CLI::App& app, int& exit_status);
// Defined in separate files.
void add_call_command(CLI::App& design, int& exit_status);
void add_load_command(CLI::App& design, int& exit_status);

}  // namespace trestle
