// Evaluates policies for an access, by IAM's rules: an explicit Deny wins; otherwise the access is allowed if an
// identity policy of the caller or the resource's policy allows it; otherwise it is denied.
//
// A Deny for an account principal (its root) applies to everyone in the account. An Allow for it allows no one by
// itself; it leaves the decision to the identity policies. Pure and thread-safe.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/access_context.h"
#include "policy/policy.h"

namespace trestle {

// One action of a request on one resource.
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
// The verdict of one policy. Statements of identity policies, which have no principal, apply to every caller.
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
