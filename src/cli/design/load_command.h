// `trestle design load <design> <file>`: passes records to an operation, or stores items of entities unchanged.
#pragma once

#include <CLI/App.hpp>

namespace trestle {

void add_load_command(CLI::App& design, int& exit_status);

}  // namespace trestle
