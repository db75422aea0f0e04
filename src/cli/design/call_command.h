// `trestle design call <design> <operation> --field value ...`
#pragma once

#include <CLI/App.hpp>

namespace trestle {

void add_call_command(CLI::App& design, int& exit_status);

}  // namespace trestle
