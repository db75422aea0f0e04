// `trestle design plan` and `trestle design cost`.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "design/language/reader.h"

namespace trestle::design {

// A design from a file. Nothing, after saying why on standard error, if it cannot be read or has mistakes.
std::optional<Reading> read_design_file(const std::string& path);

// plan FILE [OPERATION]: status 2 if the file or the operation cannot be read.
void add_plan_command(CLI::App& design, int& exit_status);
// cost FILE: status 2 likewise, and if there are no prices for the region.
void add_cost_command(CLI::App& design, int& exit_status);

}  // namespace trestle::design
