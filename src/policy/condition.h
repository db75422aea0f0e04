// Evaluates a condition of a policy statement for a request, as IAM does:
//
// - If the key is absent, a plain condition does not hold, and a negated one (StringNotEquals) does. With ...IfExists,
//   both hold.
// - ForAllValues holds if every value of the request matches, hence also if there is none. ForAnyValue holds if at
// least
//   one value matches.
// - Null tests whether the key is absent.
//
// IAM does not define two cases, which are decided in the stricter way here. If a key has several values and the
// condition has no quantifier, an Allow statement requires that all values match, a Deny statement that any does. If a
// key represents every value, an Allow statement requires both that the condition holds for an absent key and that it
// holds for all values; for a Deny statement, either is enough.
//
// Pure. A value that cannot be parsed as the operator's type equals nothing.
#pragma once

#include "policy/access_context.h"
#include "policy/policy.h"

namespace trestle {

struct ConditionQuestion {
  const AccessContext& context;
  PolicyEffect effect = PolicyEffect::kAllow;
  bool has_variables = true;  // depends on the policy's Version
};

bool holds(const PolicyCondition& condition, const ConditionQuestion& question);

}  // namespace trestle
