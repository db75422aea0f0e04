// `trestle design status | retry | verify`.
#pragma once

#include <CLI/App.hpp>

namespace trestle {

// status: the progress and backlog of a design's background work; --dead adds its dead letters.
// retry [ID]: marks dead letters, so that they are retried when the design is served. Status 1 if the ID is unknown.
// verify: compares every item with the design; --repair repairs faults. Status 1 if there are faults.
void add_upkeep_commands(CLI::App& design, int& exit_status);

}  // namespace trestle
