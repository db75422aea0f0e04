// What policies say to one access, as IAM decides it: whatever is denied anywhere is denied; what is not is allowed if
// an identity policy of the caller or the resource's policy allows it; and the rest is denied.
//
// A principal that is a whole account (its root) is denied to everyone of the account, but allows nobody: it leaves
// that to the identity policies. Pure; threads may share what it is given.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/access_context.h"
#include "policy/policy.h"

namespace trestle {

// One thing that a request wants to do.
struct Access {
  std::string action;    // "dynamodb:GetItem"
  std::string resource;  // an ARN
  AccessContext context;
};

struct Principal {
  std::string arn;      // "arn:aws:iam::000000000000:user/alice"
  std::string account;  // "000000000000"
};

enum class Verdict { kSilent, kAllow, kDeny };
// What one policy says. Statements of identity policies, which name no principal, are about everyone.
Verdict evaluate(const Policy& policy, const Access& access, const Principal& principal);

enum class Decision {
  kAllowed,
  kNotAllowed,        // nothing allows it
  kDeniedByIdentity,  // an identity policy denies it
  kDeniedByResource,  // the resource's policy denies it
};
using PolicyList = std::vector<std::shared_ptr<const Policy>>;  // shared: users have policies in common
// `resource_policy` may be null.
Decision decide(const PolicyList& identity_policies, const Policy* resource_policy, const Access& access,
                const Principal& principal);

// "User: arn... is not authorized to perform: dynamodb:GetItem on resource: arn... because no identity-based policy
// ..."
std::string denial_message(Decision decision, const Access& access, const Principal& principal);

}  // namespace trestle
