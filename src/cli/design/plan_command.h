// `trestle design plan` and `trestle design cost`.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "design/language/reader.h"

namespace trestle::design {

// Reads a design from a file. Reports on standard error and returns nullopt if it cannot be read or has errors.
std::optional<Reading> read_design_file(const std::string& path);

// plan FILE [OPERATION]: status 2 if the file cannot be read or there is no such operation.
void add_plan_command(CLI::App& design, int& exit_status);
// cost FILE: status 2 likewise, and if there are no prices for the region.
void add_cost_command(CLI::App& design, int& exit_status);

}  // namespace trestle::design
