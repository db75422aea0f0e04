// `trestle design export`, `import`, `diff` and `new`: designs to and from other tools' files, and to their next
// version.
#pragma once

#include <CLI/App.hpp>

namespace trestle::design {

// Each sets `exit_status`, which must outlive the parsing: 0 done, 1 the design or model has mistakes (diff: there is
// work to do), 2 a file cannot be read or written.
void add_export_command(CLI::App& design, int& exit_status);
void add_import_command(CLI::App& design, int& exit_status);
void add_diff_command(CLI::App& design, int& exit_status);
void add_new_command(CLI::App& design, int& exit_status);

}  // namespace trestle::design
