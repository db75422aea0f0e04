// `trestle health`: whether a server answers, for health checks in environments without another HTTP client.
#pragma once

#include <CLI/App.hpp>

namespace trestle {

void add_health_command(CLI::App& app, int& exit_status);

}  // namespace trestle
