// Exports IAM policies for the callers of a design: one for its reads, one for its writes, one per role and one for
// callers without a role, one for the stream reader, and one for the sweep of unreferenced blobs. Each allows only the
// actions, tables and indexes that its operations use. ListBackups does not support resources, so it allows any.
//
// In a multi-tenant design (`tenant:`), every statement is limited to the partition keys that it needs
// (dynamodb:LeadingKeys). The tenant is the principal's tag of that name. A note names each partition key without the
// tenant. Pure.
#pragma once

#include <string>

#include "design/export/exported.h"
#include "design/language/design.h"

namespace trestle::design {

struct PolicyScope {
  std::string partition = "aws";  // aws, aws-cn, aws-us-gov
  std::string region = "*";
  std::string account = "*";
};

// Returns a JSON object with one policy document per group of callers.
Exported export_policies(const Design& design, const PolicyScope& scope = {});

}  // namespace trestle::design
