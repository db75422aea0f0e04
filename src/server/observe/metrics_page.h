// What GET /metrics answers: every figure of the server, gathered when asked for.
#pragma once

#include <string>

#include "engine/engine.h"
#include "server/http/listener.h"
#include "server/observe/request_metrics.h"

namespace trestle {

// Also frees the series of tables that are gone.
std::string metrics_page(RequestMetrics& requests, Engine& engine, const ListenerCounts& connections);

}  // namespace trestle
