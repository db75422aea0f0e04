// A design's tables as a CloudFormation template (JSON), which creates them exactly: keys, indexes, projections,
// billing, TTL, streams, recovery, protection, encryption, class and tags, as the design declares them and a server
// makes them. Each table's name is a parameter. Tables stay when the stack goes. Pure.
#pragma once

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

Exported export_cloudformation(const Design& design);

// The name of the table's resource: letters and digits only, as CloudFormation demands, and different for each table.
std::string resource_name(const Design& design, const Table& table);

}  // namespace trestle::design
