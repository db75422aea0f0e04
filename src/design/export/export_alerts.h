// A design's alerts: as rules of Prometheus over the figures that a Trestle server has at /metrics, and as CloudWatch
// alarms for the CloudFormation export. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

// A file of rules (YAML). A note says so where the design declares no alert.
Exported export_alerts(const Design& design);

// Resources of a CloudFormation template by their names.
std::vector<std::pair<std::string, Json>> alarm_resources(const Design& design);

}  // namespace trestle::design
