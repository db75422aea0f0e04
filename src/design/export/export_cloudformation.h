// Exports a design's tables as a CloudFormation template (JSON). It creates the same tables as a server does: keys,
// indexes, projections, billing, TTL, streams, recovery, deletion protection, encryption, class and tags as declared.
// Each table's name is a parameter. Tables are retained when the stack is deleted. Pure.
#pragma once

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

Exported export_cloudformation(const Design& design);

// The name of the table's resource: letters and digits only, as CloudFormation requires, and unique in the template.
std::string resource_name(const Design& design, const Table& table);

}  // namespace trestle::design
