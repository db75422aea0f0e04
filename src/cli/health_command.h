// `trestle health`: whether a server answers, for health checks where no other HTTP client is at hand.
#pragma once

#include <CLI/App.hpp>

namespace trestle {

void add_health_command(CLI::App& app, int& exit_status);

}  // namespace trestle
