// The DynamoDB actions that an operation needs, on which tables and indexes and for which partition keys: the minimal
// IAM permissions.
//
// Derived from the plan (design/plan/plan.h), which is what the runtime executes. TransactWriteItems and
// TransactGetItems need no separate permission: IAM requires those of their parts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

struct Permission {
  std::string table;                    // empty: any resource, of an action that supports none
  std::string index;                    // empty: the table itself; "stream": its stream
  std::string action;                   // "PutItem"
  const Template* partition = nullptr;  // of the items it touches; null: any, or several key attributes

  friend bool operator==(const Permission&, const Permission&) = default;
};

inline constexpr std::string_view kStream = "stream";

// Each once, in the order of need.
std::vector<Permission> permissions_of(const Design& design, const Operation& operation);
// The permissions of the stream reader: stream tallies and reactions.
std::vector<Permission> stream_permissions(const Design& design);
// The permissions of the sweep that erases blobs of spilled fields; none if no field spills.
std::vector<Permission> blob_permissions(const Design& design);

}  // namespace trestle::design
