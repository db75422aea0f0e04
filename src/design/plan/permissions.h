// Which DynamoDB actions an operation needs, on which tables and indexes, and under which partition keys: what IAM must
// allow, and nothing else.
//
// Taken from the plan (design/plan/plan.h), which is what the runtime executes. TransactWriteItems and TransactGetItems
// need no permission of their own: IAM asks for those of their parts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/language/design.h"

namespace trestle::design {

struct Permission {
  std::string table;
  std::string index;                    // empty: the table itself; "stream": its stream
  std::string action;                   // "PutItem"
  const Template* partition = nullptr;  // of the items it touches; null: any, or several key attributes

  friend bool operator==(const Permission&, const Permission&) = default;
};

inline constexpr std::string_view kStream = "stream";

// Each once, in the order of need.
std::vector<Permission> permissions_of(const Design& design, const Operation& operation);
// What the reader of the streams needs: stream tallies and reactions.
std::vector<Permission> stream_permissions(const Design& design);

}  // namespace trestle::design
