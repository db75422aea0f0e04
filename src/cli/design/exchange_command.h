// `trestle design export`, `import`, `diff` and `new`: convert designs to and from the files of other tools, compare
// two versions of a design, and create one.
#pragma once

#include <CLI/App.hpp>

namespace trestle::design {

// Each sets `exit_status`, which must outlive the parsing: 0 success, 1 the design or model has errors (diff: a
// migration is needed), 2 a file cannot be read or written.
void add_export_command(CLI::App& design, int& exit_status);
void add_import_command(CLI::App& design, int& exit_status);
void add_diff_command(CLI::App& design, int& exit_status);
void add_new_command(CLI::App& design, int& exit_status);

}  // namespace trestle::design
