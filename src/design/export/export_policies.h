// IAM policies for the callers of a design: one for its reads, one for its writes, one per role and for those without a
// role, one for the reader of its streams, and one for the sweep of blobs that no item refers to any more. Each allows
// only the actions, tables and indexes that its operations use; ListBackups, which supports no resource, allows any.
//
// In a multi-tenant design (`tenant:`) every statement is bound to the partition keys it needs (dynamodb:LeadingKeys),
// with the tenant taken from the principal's tag of that name; where a partition key does not name the tenant, a note
// says so. Pure.
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

// An object with a policy document per group.
Exported export_policies(const Design& design, const PolicyScope& scope = {});

}  // namespace trestle::design
