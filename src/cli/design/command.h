// The command line of `trestle design`.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

// Findings from running a design (rehearsal/rehearsal.h). Passed by the caller, because the design room cannot run
// designs.
using Rehearse = std::function<std::vector<Finding>(const Design&)>;

// Adds the subcommand `design` to a program. When it was asked for, parsing the command line runs it and sets
// `exit_status`, which must outlive the parsing.
void add_design_command(CLI::App& app, int& exit_status, const Rehearse& rehearse);

}  // namespace trestle::design
