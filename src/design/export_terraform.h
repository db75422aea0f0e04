// A design's tables as Terraform (HCL) for the AWS provider, which creates them exactly: keys, indexes, projections,
// billing, TTL, streams, tags. The same careful defaults as CloudFormation's (design/export_cloudformation.h). Laid out
// as `terraform fmt` does. Pure.
#pragma once

#include "design/design.h"
#include "design/exported.h"

namespace trestle::design {

Exported export_terraform(const Design& design);

}  // namespace trestle::design
