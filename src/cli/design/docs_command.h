// `trestle design docs`.
#pragma once

#include <CLI/App.hpp>

namespace trestle::design {

// docs FILE -o OUT.html: status 2 if the file cannot be read or has errors, or the page cannot be written. The page of
// a design with errors lists them.
void add_docs_command(CLI::App& design, int& exit_status);

}  // namespace trestle::design
