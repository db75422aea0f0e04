// A design's tables as a CloudFormation template (JSON), which creates them exactly: keys, indexes, projections,
// billing, TTL, streams, and tags that identify the design.
//
// Settings that a design does not have get safe defaults: point-in-time recovery on, retained when the stack is
// deleted, deletion protection as a parameter. Pure.
#pragma once

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

Exported export_cloudformation(const Design& design);

// The name of the table's resource: letters and digits only, as CloudFormation demands, and different for each table.
std::string resource_name(const Design& design, const Table& table);

}  // namespace trestle::design
