// A design's tables as Terraform (HCL) for the AWS provider, which creates them exactly: keys, indexes, projections,
// billing, TTL, streams, tags. The same careful defaults as CloudFormation's (design/export/export_cloudformation.h).
// Laid out as `terraform fmt` does. Pure.
#pragma once

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

Exported export_terraform(const Design& design);

}  // namespace trestle::design
