// Exports a design's tables as Terraform (HCL) for the AWS provider. It creates the same tables as the CloudFormation
// export (design/export/export_cloudformation.h). Formatted like `terraform fmt`. Pure.
#pragma once

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

Exported export_terraform(const Design& design);

}  // namespace trestle::design
