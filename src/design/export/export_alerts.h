// Exports a design's alerts as Prometheus rules over the metrics that a Trestle server serves at /metrics, and as
// CloudWatch alarms for the CloudFormation export. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json/json_writer.h"
#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

// A Prometheus rules file (YAML). Adds a note if the design declares no alerts.
Exported export_alerts(const Design& design);

// CloudFormation alarm resources, by name.
std::vector<std::pair<std::string, Json>> alarm_resources(const Design& design);

}  // namespace trestle::design
