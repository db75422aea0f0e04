// A design's tables as a CloudFormation template (JSON), which creates them exactly: keys, indexes, projections,
// billing, TTL, streams, and tags that say whose they are.
//
// What a design does not say gets a careful default: point-in-time recovery on, kept when the stack goes, protected
// from deletion by a parameter. Pure.
#pragma once

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

Exported export_cloudformation(const Design& design);

// The name of the table's resource: letters and digits only, as CloudFormation demands, and different for each table.
std::string resource_name(const Design& design, const Table& table);

}  // namespace trestle::design
