// The response of GET /metrics: all metrics of the server, collected on request.
#pragma once

#include <optional>
#include <string>

#include "engine/engine.h"
#include "server/http/listener.h"
#include "server/observe/request_metrics.h"

namespace trestle {

// On-demand prices per million units.
struct UnitPrices {
  double read_million = 0;
  double write_million = 0;
  std::string currency;
};

// Also frees the series of deleted tables. Without prices, cost metrics are omitted.
std::string metrics_page(RequestMetrics& requests, Engine& engine, const ListenerCounts& connections,
                         const std::optional<UnitPrices>& prices = std::nullopt);

}  // namespace trestle
