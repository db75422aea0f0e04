// The minimal IAM permissions of an operation: the DynamoDB actions it needs, on which tables and indexes, and for
// which partition keys.
//
// Derived from the plan (design/plan/plan.h), which is exactly what the runtime executes. TransactWriteItems and
// TransactGetItems have no permission of their own: IAM requires those of the actions they contain. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

struct Permission {
  std::string table;                    // empty: any resource, for actions without resource-level permissions
  std::string index;                    // empty: the table itself; "stream": its stream
  std::string action;                   // "PutItem"
  const Template* partition = nullptr;  // of the items it accesses; null: any partition, or the key has several
                                        // attributes

  friend bool operator==(const Permission&, const Permission&) = default;
};

inline constexpr std::string_view kStream = "stream";

// Each permission once, in the order in which the operation needs them.
std::vector<Permission> permissions_of(const Design& design, const Operation& operation);
// The permissions of the stream reader, which maintains stream tallies and runs reactions.
std::vector<Permission> stream_permissions(const Design& design);
// The permissions of the job that deletes the blobs of spilled fields; empty if no field spills.
std::vector<Permission> blob_permissions(const Design& design);

}  // namespace trestle::design
